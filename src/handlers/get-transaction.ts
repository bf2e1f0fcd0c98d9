// GET /transactions/{id}: one transaction, as apps poll it.
import { Refusal } from '../api/errors.ts';
import { type Handler, ok } from '../api/operation.ts';
import { findTransaction, transactionFrom } from '../queries/transactions.ts';

export const getTransaction: Handler<'getTransaction'> = async ({ user, params }, app) => {
  const row = await findTransaction(app.db, user.id, params.id);
  if (!row) throw new Refusal('not_found');
  return ok(transactionFrom(row));
};
