// POST /auth/session: exchanges a native ID token for one of our sessions. A new identity becomes a user.
import { type Handler, ok } from '../api/operation.ts';
import type { Clock } from '../domain/clock.ts';
import { newId } from '../domain/ids.ts';
import type { Log } from '../domain/log.ts';
import { Refusal } from '../domain/refusals.ts';
import { required } from '../domain/required.ts';
import { type Committing, transaction } from '../outbox/hand-off.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Identity, IdentityProvider, IdTokens } from '../security/id-token.ts';
import type { Sealer } from '../security/sealer.ts';
import type { SessionTokens } from '../security/session-token.ts';
import { findIdentityUser, insertIdentityUser } from '../tables/identity-users/statements.ts';
import type { Db } from '../tables/orm.ts';
import { findUser, insertUser, type KnownUser, setFirstEmail } from '../tables/users/statements.ts';
import { emailOf } from './present-user.ts';

export const createSession: Handler<
  'createSession',
  Committing & { sealer: Sealer; idTokens: IdTokens; sessions: SessionTokens; clock: Clock; log: Log }
> = async ({ body, requestId, takeTurn }, services) => {
  const identity = await services.idTokens.verify(body.provider, body.idToken, body.nonce);
  await takeTurn(`${body.provider} ${identity.subject}`);
  const user = await findOrCreateUser(services, body.provider, identity);
  if (user.closedAt !== null) throw new Refusal('account_closed');
  const signedIn = await rememberEmail(services, user, identity.email);
  services.log.info(
    { code: 'session.created', requestId, userId: signedIn.id, provider: body.provider },
    'the user signed in',
  );
  const open = await services.sealer.openerOf(signedIn.id);
  return ok({
    sessionToken: await services.sessions.issue(signedIn.id),
    user: {
      id: signedIn.id,
      email: emailOf(open, signedIn),
      homeCurrency: signedIn.homeCurrency,
      displayName: signedIn.displayName,
    },
  });
};

/**
 * Returns the user of an identity, and creates it if it is new. Each subject of each identity provider is its own user: the same
 * e-mail address at both providers means two users.
 */
async function findOrCreateUser(
  { db, outbox, clock }: Committing & { clock: Clock },
  provider: IdentityProvider,
  identity: Identity,
): Promise<KnownUser> {
  const subject = { authProvider: provider, authSubject: identity.subject };
  const existing = await findBySubject(db, subject);
  if (existing) return existing;
  await createUser({ db, outbox, clock }, subject, identity.name ?? '');
  const created = await findBySubject(db, subject);
  if (!created) throw new Error('a user vanished while it was created');
  return created;
}

type Subject = Pick<KnownUser, 'authProvider' | 'authSubject'>;

/** Finds a user by subject. It takes two reads, because the two rows may be on different servers. */
async function findBySubject(db: Db, subject: Subject): Promise<KnownUser | undefined> {
  const identity = await findIdentityUser(db, subject);
  return identity && getUser(db, identity.userId);
}

const getUser = async (db: Db, userId: string): Promise<KnownUser> =>
  required(await findUser(db, { userId }), `the user ${userId}`);

/** Creates a user. Concurrent sign-ins of one subject create one user: the others wait for the first one's commit. */
const createUser = (
  { db, outbox, clock }: Committing & { clock: Clock },
  subject: Subject,
  displayName: string,
): Promise<void> =>
  transaction({ db, outbox }, async (tx) => {
    const id = newId();
    if ((await insertIdentityUser(tx, { ...subject, userId: id })) === 0) return;
    await insertUser(tx, {
      ...subject,
      id,
      displayName,
      emailSealed: null,
      emailHash: null,
      homeCurrency: null,
      balanceMinor: null,
      balanceReadAt: null,
      balanceVersion: 0,
      closedAt: null,
      hardDeletionDueAt: null,
      createdAt: clock.now(),
    });
  });

/** Stores the first e-mail address that a token contains. Later tokens may contain another address, or none. */
async function rememberEmail(
  { db, sealer }: { db: Db; sealer: Sealer },
  user: KnownUser,
  email: string | null,
): Promise<KnownUser> {
  if (user.emailSealed !== null || email === null) return user;
  const emailSealed = await sealer.seal(encryptionContexts.email(user.id, user.id), email);
  const updated = await setFirstEmail(db, {
    userId: user.id,
    emailSealed,
    emailHash: sealer.search.hashOf('email', email),
  });
  return updated ?? getUser(db, user.id);
}
