// GET /pix/payments/{id}/contestation: returns the contestation of a payment with its status.
import type { Contestation } from '../../openapi/generated/openapi.ts';
import { ok, withUser, withUserRow } from '../api/operation.ts';
import { Refusal } from '../domain/refusals.ts';
import { contestationStatusOf } from '../lifecycle/contestation.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Open, Sealer } from '../security/sealer.ts';
import { findShownContestation } from '../tables/contestations/statements.ts';
import type { Entity } from '../tables/rows.ts';

export const getPixContestation = withUser(
  'getPixContestation',
  withUserRow((db, userId, { params: { id } }) => findShownContestation(db, { userId, paymentId: id })),
  async ({ rows: row }, { sealer }: { sealer: Sealer }) => {
    if (!row) throw new Refusal('not_found');
    return ok(contestationFrom(await sealer.openerOf(row.userId), row));
  },
);

export const contestationFrom = (open: Open, row: Entity<'Contestation'>): Contestation => ({
  paymentId: row.paymentId,
  status: contestationStatusOf[row.state],
  reason: row.reason,
  description: open(encryptionContexts.contestationDescription(row.userId, row.id), row.descriptionSealed),
  createdAt: row.createdAt.toISOString(),
  resolvedAt: row.resolvedAt && row.resolvedAt.toISOString(),
});
