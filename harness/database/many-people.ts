// Fills a database with many users cheaply: rows of one user are copied for other users.
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';

/**
 * The copied tables, with the columns that contain the row's own id or the id of another copied row. They are in an order in which
 * they can be inserted.
 */
const copied: [table: string, ids: string[]][] = [
  ['kyc_verifications', ['id']],
  ['provider_accounts', ['id', 'provider_account_id']],
  ['bank_details', ['id']],
  ['transactions', ['id', 'provider_ref']],
  ['pix_quotes', ['id']],
  ['pix_payments', ['id', 'transaction_id', 'quote_id']],
  ['pix_recipients', ['id', 'last_payment_id', 'named_payment_id']],
  ['withdraws', ['id', 'bank_details_id']],
  ['provider_resources', ['handle', 'subject_id', 'provider_ref']],
  ['effects', ['id', 'subject_id']],
  ['transitions', ['subject_id']],
];

/** The tables that grow with the number of users. */
export const largeTables = ['users', ...copied.map(([table]) => table), 'webhook_events'];

/**
 * Adds this many users, copies everything that one user has to some of them, and copies the callbacks about this user's transactions.
 * @param owners how many of the users get copies. The others have only signed in.
 * @param isAnalyzed whether the planner learns about the rows, as it does after autovacuum.
 * @returns the number of rows by the planner's estimate.
 */
export async function multiplyPerson(
  databaseUrl: string,
  userId: string,
  people: number,
  owners = people,
  { isAnalyzed = true }: { isAnalyzed?: boolean } = {},
): Promise<number> {
  const pool = createPool(databaseUrl, 1, noDeadlines);
  // The copies are consistent because the original rows are. Triggers that check rows or copy them are disabled.
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
         'id', md5(own.id::text || number)::uuid, 'identity', sha256((own.id::text || number)::bytea))) copy
     where own.transaction_id in (select id from transactions where user_id = $1)`,
    [userId],
  );
  if (isAnalyzed) await pool.query('analyze');
  const { rows } = await pool.query<{ total: number }>(
    `select sum(reltuples)::float8 as total from pg_class where relname = any($1) and relkind = 'r'`,
    [largeTables],
  );
  await pool.end();
  return rows[0]?.total ?? 0;
}

/** Empties the tables again, because the remaining database is searched for leaks. */
export async function removeEverybody(databaseUrl: string): Promise<void> {
  const pool = createPool(databaseUrl, 1, noDeadlines);
  await pool.query(`truncate ${largeTables.join(', ')} cascade`);
  await pool.end();
}
