// Collects the ids by which a user's rows are found in all tables.
import type { Db } from '../tables/orm.ts';
import { findPersonsIds, listPersonsCallbacks, type PersonsIds } from '../tables/personal-data-map.ts';

export async function idsOf(db: Db, userId: string): Promise<PersonsIds> {
  const found = await findPersonsIds(db, { userId });
  const ids = { payments: [], transactions: [], subjects: [], ...found, userId };
  const callbacks = await listPersonsCallbacks(db, ids);
  return { ...ids, callbacks: callbacks.map(({ id }) => id) };
}
