// GET /withdraws: lists the user's withdrawals, newest first.

import { ok, withUser, withUserRow } from '../../api/operation.ts';
import { page, pageStart } from '../../api/paging.ts';
import { listWithdraws as readPage } from '../../tables/withdraws/statements.ts';
import { withdrawFrom } from './present.ts';

export const listWithdraws = withUser(
  'listWithdraws',
  withUserRow((db, userId, { query }) => readPage(db, { userId, ...pageStart(query) })),
  async ({ rows: found, query }, { config }: { config: { provider: { name: string } } }) => {
    const { rows, headers } = page('/withdraws', query, found);
    return ok(
      rows.map((row) => withdrawFrom(row, config.provider.name)),
      headers,
    );
  },
);
