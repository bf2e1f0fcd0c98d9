// Users who have only a row: no identity, no session, no data key.

import { newId } from '../../src/domain/ids.ts';
import type { Db } from '../../src/tables/orm.ts';
import { byTable } from './by-table.ts';

/** @returns the new users' ids, in ascending order. */
export async function insertUsers(db: Db, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId).toSorted();
  const row = { auth_provider: 'identity_provider_a', display_name: '', created_at: new Date() } as const;
  await byTable(db)
    .insertInto('users')
    .values(ids.map((id) => ({ ...row, id, auth_subject: id })))
    .execute();
  return ids;
}

export async function insertUser(db: Db): Promise<string> {
  const [id] = await insertUsers(db, 1);
  if (id === undefined) throw new Error('no user was inserted');
  return id;
}
