// GET /withdraws: the user's withdrawals, newest first.

import { page, pageRequest } from '../queries/paging.ts';
import { withdrawFrom, withdrawsOf } from '../queries/withdraws.ts';
import { beside, ok } from './operation.ts';

export const listWithdraws = beside(
  'listWithdraws',
  (userId, { query }) => withdrawsOf(userId, pageRequest(query)),
  async ({ rows: found, query }, app) => {
    const { rows, headers } = page('/withdraws', pageRequest(query), found, (row) => ({
      createdAt: new Date(row.createdAt),
      id: row.id,
    }));
    return ok(
      rows.map((row) => withdrawFrom(row, app.config.provider.name)),
      headers,
    );
  },
);
