// PATCH /me: changes the user's name at any time, and sets the home currency once.

import { type Handler, ok } from '../api/operation.ts';
import type { Clock } from '../domain/clock.ts';
import type { Committing } from '../outbox/hand-off.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import { userFrom } from './present-user.ts';
import { updateUser } from './update-user.ts';

export const updateMe: Handler<'updateMe', Committing & { sealer: Sealer; clock: Clock }> = async (
  { user, body },
  { db, outbox, sealer, clock },
) => ok(await userFrom(sealer, await updateUser({ db, outbox, clock }, user.id, body)));
