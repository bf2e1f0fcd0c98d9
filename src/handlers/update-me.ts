// PATCH /me: the name may change at any time, the home currency is chosen once.

import { updateUser } from '../commands/update-user.ts';
import { userFrom } from '../queries/user.ts';
import { type Handler, ok } from './operation.ts';

export const updateMe: Handler<'updateMe'> = async ({ user, body }, app) =>
  ok(await userFrom(app.sealer, await updateUser(app, user.id, body)));
