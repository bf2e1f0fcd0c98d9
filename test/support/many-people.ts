// A database with many users, cheaply: everything that one person has is given to others, too.
import { noDeadlines } from '../../src/database/deadlines.ts';
import { createPool } from '../../src/database/pool.ts';

/** With the columns that are ids of their own, or of another of the copied rows. In an order in which they can be inserted. */
const copied: [table: string, ids: string[]][] = [
  ['kyc_verifications', ['id']],
  ['provider_accounts', ['id', 'provider_account_id']],
  ['bank_details', ['id']],
  ['transactions', ['id', 'provider_ref']],
  ['pix_quotes', ['id']],
  ['pix_payments', ['id', 'transaction_id', 'quote_id']],
  ['withdraws', ['id', 'bank_details_id']],
  ['provider_resources', ['handle', 'subject_id', 'provider_ref']],
  ['effects', ['id', 'subject_id']],
  ['transitions', ['subject_id']],
];

/** The tables that grow with the number of users. */
export const largeTables = ['users', ...copied.map(([table]) => table), 'webhook_events'];

/**
 * Adds so many people, gives everything that this person has to some of them, and every callback as many others beside it.
 * @param owners how many of the people have all that; the others only signed in.
 * @param isAnalyzed whether the planner learns about them, as it does once autovacuum has passed.
 * @returns how many rows there are now, as far as the planner knows.
 */
export async function multiplyPerson(
  databaseUrl: string,
  userId: string,
  people: number,
  owners = people,
  { isAnalyzed = true }: { isAnalyzed?: boolean } = {},
): Promise<number> {
  const pool = createPool(databaseUrl, 1, noDeadlines);
  // The rows hold together because those of the one person do; triggers that check it, or copy rows, are left out.
  await pool.query('set session_replication_role = replica');
  await pool.query(
    `insert into users select other.* from users one, generate_series(1, ${people}) number, jsonb_populate_record(
       one, jsonb_build_object('id', md5(number::text)::uuid, 'auth_subject', number)) other
     where one.id = $1`,
    [userId],
  );
  for (const [table, ids] of copied) {
    const changes = ids.map((column) => `'${column}', md5(own.${column}::text || person.id)::uuid`);
    await pool.query(
      `insert into ${table} select copy.* from ${table} own,
         (select md5(number::text)::uuid as id from generate_series(1, ${owners}) number) person,
         jsonb_populate_record(own, jsonb_build_object('user_id', person.id, ${changes.join(', ')})) copy
       where own.user_id = $1`,
      [userId],
    );
  }
  await pool.query(
    `insert into webhook_events select copy.* from webhook_events own, generate_series(1, ${owners}) number,
       jsonb_populate_record(own, jsonb_build_object(
         'id', md5(own.id::text || number)::uuid, 'external_id', md5(own.id::text || number) || md5(number::text))) copy`,
  );
  if (isAnalyzed) await pool.query('analyze');
  const { rows } = await pool.query<{ total: number }>(
    `select sum(reltuples)::float8 as total from pg_class where relname = any($1) and relkind = 'r'`,
    [largeTables],
  );
  await pool.end();
  return rows[0]?.total ?? 0;
}

/** Empties them again: what is left of a database is searched for leaks. */
export async function removeEverybody(databaseUrl: string): Promise<void> {
  const pool = createPool(databaseUrl, 1, noDeadlines);
  await pool.query(`truncate ${largeTables.join(', ')} cascade`);
  await pool.end();
}
