// GET /pix/payments/{id}: one payment, as apps poll it.
import { Refusal } from '../api/errors.ts';
import { type Handler, ok } from '../api/operation.ts';
import { findPixPayment, pixPaymentFrom } from '../queries/pix-payments.ts';

export const getPixPayment: Handler<'getPixPayment'> = async ({ user, params }, app) => {
  const row = await findPixPayment(app.db, user.id, params.id);
  if (!row) throw new Refusal('not_found');
  return ok(await pixPaymentFrom(app.sealer, row));
};
