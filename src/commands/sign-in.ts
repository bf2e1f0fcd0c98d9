// Who signs in: found by the subject of their identity provider, or made when seen for the first time.

import type { App } from '../app.ts';
import type { Identity, IdentityProvider } from '../auth/id-token.ts';
import { newId } from '../domain/ids.ts';
import type { UserRow } from '../entities/rows.ts';
import { findUserBySubject, getUser } from '../queries/user.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';

/** One user for each subject of each identity provider: the same e-mail under both stays two people. */
export async function findOrCreateUser(
  app: App,
  provider: IdentityProvider,
  identity: Identity,
): Promise<UserRow> {
  const existing = await findUserBySubject(app.db, provider, identity.subject);
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
  const created = await findUserBySubject(app.db, provider, identity.subject);
  if (!created) throw new Error('a user vanished while it was made');
  return created;
}

/** The first address we are given is the one we keep: a later token may carry another, or none. */
export async function rememberEmail(app: App, user: UserRow, email: string | null): Promise<UserRow> {
  if (user.email_sealed !== null || email === null) return user;
  const email_sealed = await app.sealer.seal(encryptionContexts.email(user.id, user.id), email);
  const updated = await app.db
    .updateTable('users')
    .set({ email_sealed })
    .where('id', '=', user.id)
    .where('email_sealed', 'is', null)
    .where('closed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return updated ?? getUser(app.db, user.id);
}
