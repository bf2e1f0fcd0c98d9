// PATCH /me: changes the user's name at any time, and sets the home currency once.

import { updateUser } from './update-user.ts';
import { userFrom } from './present-user.ts';
import { type Handler, ok } from '../api/operation.ts';

export const updateMe: Handler<'updateMe'> = async ({ user, body }, app) =>
  ok(await userFrom(app.sealer, await updateUser(app, user.id, body)));
