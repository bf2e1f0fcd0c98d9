// GET /pix/payments/{id}: one payment, as apps poll it.
import { Refusal } from '../api/errors.ts';
import { beside, ok } from '../api/operation.ts';
import { pixPaymentFrom, pixPaymentOf } from '../queries/pix-payments.ts';

export const getPixPayment = beside(
  'getPixPayment',
  (userId, { params }) => pixPaymentOf(userId, params.id),
  async ({ rows: row }, app) => {
    if (!row) throw new Refusal('not_found');
    return ok(await pixPaymentFrom(app.sealer, row));
  },
);
