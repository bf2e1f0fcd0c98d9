// POST /auth/session: exchanges a native ID token for one of our sessions. A new identity becomes a user.

import { findOrCreateUser, rememberEmail } from './sign-in.ts';
import { Refusal } from '../domain/refusals.ts';
import { emailOf } from './email.ts';
import { type Handler, ok } from '../api/operation.ts';

export const createSession: Handler<'createSession'> = async ({ body, requestId, takeTurn }, app) => {
  const identity = await app.idTokens.verify(body.provider, body.idToken);
  await takeTurn(`${body.provider} ${identity.subject}`);
  const user = await findOrCreateUser(app, body.provider, identity);
  if (user.closedAt !== null) throw new Refusal('account_closed');
  const known = await rememberEmail(app, user, identity.email);
  app.log.info(
    { code: 'session.created', requestId, userId: known.id, provider: body.provider },
    'the user signed in',
  );
  return ok({
    sessionToken: await app.sessions.issue(known.id),
    user: {
      id: known.id,
      email: await emailOf(app.sealer, known),
      homeCurrency: known.homeCurrency,
      displayName: known.displayName,
    },
  });
};
