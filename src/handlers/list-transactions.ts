// GET /transactions: deposits, payments and withdrawals, newest first.
import { type Handler, ok } from '../api/operation.ts';
import { page, pageRequest } from '../api/paging.ts';
import { listTransactions as findTransactions, transactionFrom } from '../queries/transactions.ts';

export const listTransactions: Handler<'listTransactions'> = async ({ user, query }, app) => {
  const request = pageRequest(query);
  const found = await findTransactions(app.replica, user.id, request);
  const { rows, headers } = page('/transactions', request, found, (row) => ({
    createdAt: row.created_at,
    id: row.id,
  }));
  return ok(rows.map(transactionFrom), headers);
};
