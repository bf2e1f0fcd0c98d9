// Counts the statements that wait for a lock in the database.
import { sql } from 'kysely';
import type { Db } from '../../src/platform/database/orm.ts';

/** How many statements of this database wait for a lock that another transaction has. */
export async function waitingForLocks(db: Db): Promise<number> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length;
}
