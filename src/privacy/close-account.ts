// DELETE /me: closes the account, deletes the data that is not needed, and schedules the rest for deletion. It is safe to repeat.

import { type Handler, ok } from '../api/operation.ts';
import type { Clock } from '../domain/clock.ts';
import type { Db } from '../platform/database/orm.ts';
import { closeUser } from './close-user.ts';

export const closeAccount: Handler<'closeAccount', { db: Db; clock: Clock }> = async (
  { user },
  { db, clock },
) => {
  const dueAt = await closeUser({ db, clock }, user.id);
  return ok({ status: 'closed', hardDeletionScheduledFor: dueAt.toISOString() });
};
