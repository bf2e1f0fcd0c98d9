// PATCH /me: changes the user's name at any time, and sets the home currency once.

import { updateUser } from '../commands/update-user.ts';
import { userFrom } from '../queries/user.ts';
import { type Handler, ok } from './operation.ts';

export const updateMe: Handler<'updateMe'> = async ({ user, body }, app) =>
  ok(await userFrom(app.sealer, await updateUser(app, user.id, body)));
