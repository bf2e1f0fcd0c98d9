// GET /withdraws: lists the user's withdrawals, newest first.
import { page, pageRequest, pageStart } from '../api/paging.ts';
import { withdrawFrom } from './present.ts';
import { listWithdraws as readPage } from '../platform/sql/withdraws.ts';
import { ok, withUserRow } from '../api/operation.ts';

export const listWithdraws = withUserRow(
  'listWithdraws',
  (db, userId, { query }) => readPage(db, { userId, ...pageStart(pageRequest(query)) }),
  async ({ rows: found, query }, app) => {
    const { rows, headers } = page('/withdraws', pageRequest(query), found);
    return ok(
      rows.map((row) => withdrawFrom(row, app.config.provider.name)),
      headers,
    );
  },
);
