// GET /transactions: deposits, payments and withdrawals, newest first.

import { page, pageRequest } from '../queries/paging.ts';
import { transactionFrom, transactionsOf } from '../queries/transactions.ts';
import { beside, ok } from './operation.ts';

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
);
