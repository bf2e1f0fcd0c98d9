// DELETE /me: closes the account, deletes the data that is not needed, and schedules the rest for deletion. It is safe to repeat. On
// request, it refuses while money is left.

import { type Handler, ok } from '../api/operation.ts';
import type { Clock } from '../domain/clock.ts';
import type { Db } from '../platform/database/orm.ts';
import type { Provider } from '../provider/port.ts';
import { closeUser } from './close-user.ts';

export const closeAccount: Handler<'closeAccount', { db: Db; clock: Clock; provider: Provider }> = async (
  { user, query },
  { db, clock, provider },
) => {
  const unlessMoneyIsLeft = query.unlessMoneyIsLeft === true;
  const dueAt = await closeUser({ db, clock, provider }, user.id, { unlessMoneyIsLeft });
  return ok({ status: 'closed', hardDeletionScheduledFor: dueAt.toISOString() });
};
