// GET /pix/payments/{id}: returns one payment. Apps poll it.

import { ok, withUser, withUserRow } from '../api/operation.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Sealer } from '../security/sealer.ts';
import { findShownPixPayment } from '../tables/pix-payments/statements.ts';
import { pixPaymentFrom } from './present.ts';

export const getPixPayment = withUser(
  'getPixPayment',
  withUserRow((db, userId, { params: { id } }) => findShownPixPayment(db, { userId, id })),
  async ({ rows: row, language }, { sealer }: { sealer: Sealer }) => {
    if (!row) throw new Refusal('not_found');
    return ok(pixPaymentFrom(await sealer.openerOf(row.userId), row, language));
  },
);
