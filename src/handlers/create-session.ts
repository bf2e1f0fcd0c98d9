// POST /auth/session: a native ID token becomes a session of ours; a person seen for the first time becomes a user.
import { Refusal } from '../api/errors.ts';
import { type Handler, ok, type UserRow } from '../api/operation.ts';
import type { App } from '../app.ts';
import type { Identity, IdentityProvider } from '../auth/id-token.ts';
import { newId } from '../domain/ids.ts';
import { emailOf } from '../queries/email.ts';
import { places } from '../sealing/places.ts';

export const createSession: Handler<'createSession'> = async ({ body }, app) => {
  const identity = await app.idTokens.verify(body.provider, body.idToken);
  const user = await findOrCreateUser(app, body.provider, identity);
  if (user.closed_at !== null) throw new Refusal('account_closed');
  const known = await rememberEmail(app, user, identity.email);
  return ok({
    sessionToken: await app.sessions.issue(known.id),
    user: {
      id: known.id,
      email: await emailOf(app.sealer, known),
      homeCurrency: known.home_currency,
      displayName: known.display_name,
    },
  });
};

/** One user for each subject of each identity provider: the same e-mail under both stays two people. */
async function findOrCreateUser(app: App, provider: IdentityProvider, identity: Identity): Promise<UserRow> {
  const existing = await findUser(app, provider, identity.subject);
  if (existing) return existing;
  await app.db
    .insertInto('users')
    .values({
      id: newId(),
      auth_provider: provider,
      auth_subject: identity.subject,
      display_name: identity.name ?? '',
      created_at: app.clock.now(),
    })
    .onConflict((conflict) => conflict.columns(['auth_provider', 'auth_subject']).doNothing())
    .execute();
  const created = await findUser(app, provider, identity.subject);
  if (!created) throw new Error('a user vanished while it was made');
  return created;
}

const findUser = (app: App, provider: IdentityProvider, subject: string): Promise<UserRow | undefined> =>
  app.db
    .selectFrom('users')
    .selectAll()
    .where('auth_provider', '=', provider)
    .where('auth_subject', '=', subject)
    .executeTakeFirst();

/** The first address we are given is the one we keep: a later token may carry another, or none. */
async function rememberEmail(app: App, user: UserRow, email: string | null): Promise<UserRow> {
  if (user.email_sealed !== null || email === null) return user;
  const email_sealed = await app.sealer.seal(places.email(user.id, user.id), email);
  const updated = await app.db
    .updateTable('users')
    .set({ email_sealed })
    .where('id', '=', user.id)
    .where('email_sealed', 'is', null)
    .where('closed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return (
    updated ?? app.db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow()
  );
}
