// Users, and one as the API shows it.
import type { User } from '../../openapi/generated/openapi.ts';
import type { Db } from '../database/orm.ts';
import type { UserRow } from '../entities/rows.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { emailOf } from './email.ts';

export const getUser = (db: Db, id: string): Promise<UserRow> =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Two reads, because the two rows may be on different servers. */
export async function findUserBySubject(
  db: Db,
  provider: UserRow['auth_provider'],
  subject: string,
): Promise<UserRow | null> {
  const identity = await db
    .selectFrom('identity_users')
    .select('user_id')
    .where('auth_provider', '=', provider)
    .where('auth_subject', '=', subject)
    .executeTakeFirst();
  return identity ? getUser(db, identity.user_id) : null;
}

export const userFrom = async (sealer: Sealer, user: UserRow): Promise<User> => ({
  id: user.id,
  email: await emailOf(sealer, user),
  homeCurrency: user.home_currency,
  displayName: user.display_name,
  createdAt: user.created_at.toISOString(),
});
