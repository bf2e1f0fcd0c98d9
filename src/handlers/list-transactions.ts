// GET /transactions: deposits, payments and withdrawals, newest first.
import { beside, ok } from '../api/operation.ts';
import { page, pageRequest } from '../api/paging.ts';
import { transactionFrom, transactionsOf } from '../queries/transactions.ts';

export const listTransactions = beside(
  'listTransactions',
  (userId, { query }) => transactionsOf(userId, pageRequest(query)),
  async ({ rows: found, query }) => {
    const { rows, headers } = page('/transactions', pageRequest(query), found, (row) => ({
      createdAt: new Date(row.created_at),
      id: row.id,
    }));
    return ok(rows.map(transactionFrom), headers);
  },
  { mayLag: true },
);
