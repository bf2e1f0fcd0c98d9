// GET /pix/payments/{id}: returns one payment. Apps poll it.

import { ok, withUser } from '../api/operation.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Sealer } from '../platform/security/sealer.ts';
import { findCallerWithPixPayment } from '../platform/sql/pix-payments.ts';
import { pixPaymentFrom } from './present.ts';

export const getPixPayment = withUser(
  'getPixPayment',
  (db, userId, { params: { id } }) => findCallerWithPixPayment(db, { userId, id }),
  async ({ rows: row }, { sealer }: { sealer: Sealer }) => {
    if (!row) throw new Refusal('not_found');
    return ok(pixPaymentFrom(await sealer.openerOf(row.userId), row));
  },
);
