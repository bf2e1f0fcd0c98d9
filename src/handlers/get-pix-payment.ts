// GET /pix/payments/{id}: one payment, as apps poll it.
import { Refusal } from '../domain/refusals.ts';
import { pixPaymentFrom, pixPaymentOf } from '../queries/pix-payments.ts';
import { beside, ok } from './operation.ts';

export const getPixPayment = beside(
  'getPixPayment',
  (userId, { params }) => pixPaymentOf(userId, params.id),
  async ({ rows: row }, app) => {
    if (!row) throw new Refusal('not_found');
    return ok(await pixPaymentFrom(app.sealer, row));
  },
);
