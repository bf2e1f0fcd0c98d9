// GET /transactions: lists the user's deposits, payments and withdrawals, newest first, and those that match filters.

import { ok, withUser, withUserRow } from '../../api/operation.ts';
import { filteredPageStart, isFiltered, page, pageStart } from '../../api/paging.ts';
import type { Sealer } from '../../security/sealer.ts';
import {
  listTransactions as listAll,
  listMatchingTransactions,
  type ShownTransaction,
} from '../../tables/transactions/statements.ts';
import { homeRange } from '../amount-filters.ts';
import { transactionFrom } from './present.ts';

export const listTransactions = withUser(
  'listTransactions',
  withUserRow((db, userId, { query }): Promise<ShownTransaction[]> => {
    if (!isFiltered(query)) return listAll(db, { userId, ...pageStart(query) });
    const { type: types = null, status: statuses = null } = query;
    const filters = { types, statuses, ...homeRange(query) };
    return listMatchingTransactions(db, { userId, ...filteredPageStart(query), ...filters });
  }),
  async ({ rows: read, query, user, language }, { sealer }: { sealer: Sealer }) => {
    const { rows, headers } = page('/transactions', query, read);
    const open = await sealer.openerOf(user.id);
    const transactions = rows.map((row) => transactionFrom(open, user.id, row, language));
    return ok(transactions, headers);
  },
);
