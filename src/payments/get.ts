// GET /pix/payments/{id}: returns one payment. Apps poll it.
import { Refusal } from '../domain/refusals.ts';
import { pixPaymentFrom } from './present.ts';
import { findPixPayment } from '../platform/sql/pix-payments.ts';
import { ok, withUserRow } from '../api/operation.ts';

export const getPixPayment = withUserRow(
  'getPixPayment',
  (db, userId, { params: { id } }) => findPixPayment(db, { userId, id }),
  async ({ rows: row }, app) => {
    if (!row) throw new Refusal('not_found');
    return ok(await pixPaymentFrom(app.sealer, row));
  },
);
