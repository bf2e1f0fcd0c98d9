// GET /transactions: lists the user's deposits, payments and withdrawals, newest first.

import { ok, withUserRow } from '../../api/operation.ts';
import { page, pageRequest, pageStart } from '../../api/paging.ts';
import type { Sealer } from '../../platform/security/sealer.ts';
import { listTransactions as readPage } from '../../platform/sql/transactions.ts';
import { transactionFrom } from './present.ts';

export const listTransactions = withUserRow(
  'listTransactions',
  (db, userId, { query }) => readPage(db, { userId, ...pageStart(pageRequest(query)) }),
  async ({ rows: found, query }, { sealer }: { sealer: Sealer }) => {
    const { rows, headers } = page('/transactions', pageRequest(query), found);
    return ok(await Promise.all(rows.map((row) => transactionFrom(sealer, row))), headers);
  },
);
