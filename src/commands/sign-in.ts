// Who signs in: found by the subject of their identity provider, or made when seen for the first time.

import type { App } from '../app.ts';
import type { Identity, IdentityProvider } from '../auth/id-token.ts';
import { newId } from '../domain/ids.ts';
import type { UserRow } from '../entities/rows.ts';
import { transaction } from '../outbox/transaction.ts';
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
  await createUser(app, { auth_provider: provider, auth_subject: identity.subject }, identity.name ?? '');
  const created = await findUserBySubject(app.db, provider, identity.subject);
  if (!created) throw new Error('a user vanished while it was made');
  return created;
}

/** Once, of any number of concurrent sign-ins: the others wait for the first one's commit. */
const createUser = (
  app: App,
  subject: Pick<UserRow, 'auth_provider' | 'auth_subject'>,
  displayName: string,
): Promise<void> =>
  transaction(app, async (tx) => {
    const id = newId();
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('identity_users')
      .values({ ...subject, user_id: id })
      .onConflict((conflict) => conflict.columns(['auth_provider', 'auth_subject']).doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows !== 1n) return;
    await tx
      .insertInto('users')
      .values({ ...subject, id, display_name: displayName, created_at: app.clock.now() })
      .execute();
  });

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
