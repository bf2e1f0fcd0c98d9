// PATCH /me: the name may change at any time, the home currency is chosen once.
import { type Handler, ok } from '../api/operation.ts';
import { updateUser } from '../commands/update-user.ts';
import { userFrom } from '../queries/user.ts';

export const updateMe: Handler<'updateMe'> = async ({ user, body }, app) =>
  ok(await userFrom(app.sealer, await updateUser(app, user.id, body)));
