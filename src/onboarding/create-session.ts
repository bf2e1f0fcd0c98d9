// POST /auth/session: exchanges a native ID token for one of our sessions. A new identity becomes a user.

import { type Handler, ok } from '../api/operation.ts';
import type { Clock } from '../domain/clock.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Committing } from '../outbox/hand-off.ts';
import type { IdTokens } from '../platform/auth/id-token.ts';
import type { SessionTokens } from '../platform/auth/session-token.ts';
import type { Log } from '../platform/logging/log.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import { emailOf } from './email.ts';
import { findOrCreateUser, rememberEmail } from './sign-in.ts';

export const createSession: Handler<
  'createSession',
  Committing & { sealer: Sealer; idTokens: IdTokens; sessions: SessionTokens; clock: Clock; log: Log }
> = async ({ body, requestId, takeTurn }, services) => {
  const identity = await services.idTokens.verify(body.provider, body.idToken);
  await takeTurn(`${body.provider} ${identity.subject}`);
  const user = await findOrCreateUser(services, body.provider, identity);
  if (user.closedAt !== null) throw new Refusal('account_closed');
  const known = await rememberEmail(services, user, identity.email);
  services.log.info(
    { code: 'session.created', requestId, userId: known.id, provider: body.provider },
    'the user signed in',
  );
  return ok({
    sessionToken: await services.sessions.issue(known.id),
    user: {
      id: known.id,
      email: await emailOf(services.sealer, known),
      homeCurrency: known.homeCurrency,
      displayName: known.displayName,
    },
  });
};
