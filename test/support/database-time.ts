// Moments of the database's clock for tests of what depends on them. Only a database gives the first one.
import { DatabaseTime } from '../../src/platform/database/database-time.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm, dbOf } from '../../src/tables/orm.ts';
import { createTestDatabase } from './database.ts';

/** Returns a function that returns any moment of the database's clock. */
export async function momentsOfDatabase(): Promise<(moment: Date | string) => DatabaseTime> {
  const database = await createTestDatabase();
  const orm = await createOrm(createPool(database.url, 1));
  const now = await DatabaseTime.read(dbOf(orm));
  await orm.close(true);
  await database.drop();
  return (moment) => now.plus(now.msUntil(new Date(moment)));
}
