// GET /transactions: lists the user's deposits, payments and withdrawals, newest first.
import { page, pageRequest, pageStart } from '../queries/paging.ts';
import { transactionFrom } from '../queries/transactions.ts';
import { listTransactions as readPage } from '../sql/transactions.ts';
import { ok, withUserRow } from './operation.ts';

export const listTransactions = withUserRow(
  'listTransactions',
  (db, userId, { query }) => readPage(db, { userId, ...pageStart(pageRequest(query)) }),
  async ({ rows: found, query }) => {
    const { rows, headers } = page('/transactions', pageRequest(query), found);
    return ok(rows.map(transactionFrom), headers);
  },
);
