// GET /withdraws: the user's withdrawals, newest first.

import { page, pageRequest } from '../queries/paging.ts';
import { listWithdraws as findWithdraws, withdrawFrom } from '../queries/withdraws.ts';
import { type Handler, ok } from './operation.ts';

export const listWithdraws: Handler<'listWithdraws'> = async ({ user, query }, app) => {
  const request = pageRequest(query);
  const found = await findWithdraws(app.replica, user.id, request);
  const { rows, headers } = page('/withdraws', request, found, (row) => ({
    createdAt: row.createdAt,
    id: row.id,
  }));
  return ok(
    rows.map((row) => withdrawFrom(row, app.config.provider.name)),
    headers,
  );
};
