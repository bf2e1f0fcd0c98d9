// GET /transactions: lists the user's deposits, payments and withdrawals, newest first.

import { ok, withUser, withUserRow } from '../../api/operation.ts';
import { page, pageRequest, pageStart } from '../../api/paging.ts';
import type { Sealer } from '../../security/sealer.ts';
import { listTransactions as readPage } from '../../tables/transactions/statements.ts';
import { transactionFrom } from './present.ts';

export const listTransactions = withUser(
  'listTransactions',
  withUserRow((db, userId, { query }) => readPage(db, { userId, ...pageStart(pageRequest(query)) })),
  async ({ rows: found, query, user, language }, { sealer }: { sealer: Sealer }) => {
    const { rows, headers } = page('/transactions', pageRequest(query), found);
    const open = await sealer.openerOf(user.id);
    const shown = rows.map((row) => transactionFrom(open, user.id, row, language));
    return ok(shown, headers);
  },
);
