// GET /withdraws: lists the user's withdrawals, newest first.
import { page, pageRequest, pageStart } from '../queries/paging.ts';
import { withdrawFrom } from '../queries/withdraws.ts';
import { listWithdraws as readPage } from '../sql/withdraws.ts';
import { ok, withUserRow } from './operation.ts';

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
