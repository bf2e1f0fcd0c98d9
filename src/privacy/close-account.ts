// DELETE /me: closes the account, deletes the data that is not needed, and schedules the rest for deletion. It is safe to repeat.

import { closeUser } from './close-user.ts';
import { type Handler, ok } from '../api/operation.ts';

export const closeAccount: Handler<'closeAccount'> = async ({ user }, app) => {
  const dueAt = await closeUser(app, user.id);
  return ok({ status: 'closed', hardDeletionScheduledFor: dueAt.toISOString() });
};
