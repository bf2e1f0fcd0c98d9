// From a bearer token to the user it stands for. A closed account may only see that it is closed.
import type { Authenticate } from '../api/admission.ts';
import { Refusal } from '../api/errors.ts';
import type { App } from '../app.ts';
import { recordClosedSession } from '../audit/refusals.ts';
import type { SessionTokens } from './session-token.ts';

export const createAuthenticate =
  (app: App, sessions: SessionTokens): Authenticate =>
  async (authorization, operationId, requestId) => {
    const [, token] = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '') ?? [];
    const userId = token === undefined ? null : await sessions.verify(token);
    const user =
      userId === null
        ? undefined
        : await app.db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst();
    if (!user) throw new Refusal('unauthorized');
    if (user.closed_at !== null && operationId !== 'closeAccount') {
      recordClosedSession(app.trail, user.id, operationId, requestId);
      throw new Refusal('account_closed');
    }
    return user;
  };
