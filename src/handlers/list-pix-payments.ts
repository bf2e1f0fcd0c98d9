// GET /pix/payments: the user's PIX payments, newest first.
import { type Handler, ok } from '../api/operation.ts';
import { page, pageRequest } from '../api/paging.ts';
import { listPixPayments as findPixPayments, pixPaymentFrom } from '../queries/pix-payments.ts';

export const listPixPayments: Handler<'listPixPayments'> = async ({ user, query }, app) => {
  const request = pageRequest(query);
  const found = await findPixPayments(app.replica, user.id, request);
  const { rows, headers } = page('/pix/payments', request, found, (row) => ({
    createdAt: row.created_at,
    id: row.id,
  }));
  return ok(await Promise.all(rows.map((row) => pixPaymentFrom(app.sealer, row))), headers);
};
