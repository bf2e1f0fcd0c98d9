// Gives every table its place on Citus (docs/performance.md). It is safe to repeat: tables that have their places stay. Nothing is
// changed unless everything can be.
import { type RawBuilder, sql } from 'kysely';
import { inDbTransaction } from '../../platform/database/db-transaction.ts';
import { entities } from '../entities.ts';
import type { Db } from '../orm.ts';
import type { Place } from '../place.ts';

/** Thrown before anything is changed. Its message says what to do. */
export class NotDistributable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotDistributable';
  }
}

/** The oldest major version of Citus on which this was run. */
const CITUS_FROM = 14;
const SHARDS = 32;
/** Each of the hundred tables of payloads has as many shards as its callbacks. */
const SHARDS_OF_CALLBACKS = 4;

/** A process whose heartbeat is older does not run any more: it was killed, and no other has taken over its work yet. */
const STOPPED_AFTER_SECONDS = 60;

type Table = { name: string; place: Place };

/** In the order of distribution: a table comes behind those that it refers to. */
export const tablesWithPlaces: readonly Table[] = entities.map(({ meta: { tableName, place } }) => {
  if (place === undefined) throw new Error(`the entity of ${tableName} names no place`);
  return { name: tableName, place };
});

/**
 * A unique key without the column by which its table is distributed. The id of a callback derives from both columns, so its primary key
 * keeps callbacks unique as well.
 */
const REDUNDANT = { table: 'webhook_events', constraint: 'webhook_events_provider_identity_unique' };

/**
 * Distributes the tables that have no place yet. The rows of filled tables move, and their local copies are removed.
 * @returns the names of the tables that were moved.
 * @throws NotDistributable
 */
export async function distribute(db: Db): Promise<string[]> {
  await assertCitus(db);
  const found = await readPlaces(db);
  const missing = tablesWithPlaces.filter(({ name, place }) => {
    const present = found.get(name);
    if (present === undefined) return true;
    if (present === describe(place)) return false;
    throw new NotDistributable(
      `${name} is ${present} already, but must be ${describe(place)}. Nothing was changed.`,
    );
  });
  if (missing.length === 0) return [];
  await assertStopped(db);
  await assertNoViews(db);
  return inDbTransaction(
    db,
    async (tx) => {
      // Tables that refer to one another move one after the other, on one connection to each server.
      await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(tx);
      await sql`alter table ${sql.table(REDUNDANT.table)} drop constraint if exists ${sql.id(REDUNDANT.constraint)}`.execute(
        tx,
      );
      const filled = [];
      for (const table of missing) if ((await move(tx, table)) > 0) filled.push(table.name);
      // A local copy can only go when no local table refers to it any more.
      for (const name of filled)
        await sql`select truncate_local_data_after_distributing_table(${name}::regclass)`.execute(tx);
      return missing.map(({ name }) => name);
    },
    { statementMs: 0 },
  );
}

/** @throws NotDistributable if tables are missing their places. The service does not start then. */
export async function assertDistributed(db: Db): Promise<void> {
  if ((await findCitus(db)) === null) return;
  const found = await readPlaces(db);
  if (found.size === 0) return;
  const missing = tablesWithPlaces.filter(({ name, place }) => found.get(name) !== describe(place));
  if (missing.length > 0)
    throw new NotDistributable(
      `These tables lack their places: ${missing.map(({ name }) => name).join(', ')}. Run \`npm run db:distribute\`.`,
    );
}

/** @returns the number of rows that have a local copy, which is hidden from now on. */
async function move(tx: Db, { name, place }: Table): Promise<number> {
  const before = await count(tx, name);
  await sql`select ${placing(name, place)}`.execute(tx);
  const after = await count(tx, name);
  if (before !== after)
    throw new NotDistributable(`${name} had ${before} rows and has ${after} now. Nothing was changed.`);
  return typeof place === 'object' ? before : 0;
}

/** The call of Citus that gives a table its place. */
function placing(name: string, place: Place): RawBuilder<unknown> {
  if (place === 'reference') return sql`create_reference_table(${name}::regclass)`;
  if (place === 'coordinator') return sql`citus_add_local_table_to_metadata(${name}::regclass)`;
  const { column, group } = place;
  const first = tablesWithPlaces.find((one) => typeof one.place === 'object' && one.place.group === group);
  if (first && first.name !== name)
    return sql`create_distributed_table(${name}::regclass, ${column}, colocate_with => ${first.name})`;
  const shards = group === 'callbacks' ? SHARDS_OF_CALLBACKS : SHARDS;
  return sql`create_distributed_table(${name}::regclass, ${column}, colocate_with => 'none', shard_count => ${shards})`;
}

async function count(tx: Db, name: string): Promise<number> {
  const { rows } = await sql<{ rows: string }>`select count(*) as rows from ${sql.table(name)}`.execute(tx);
  return Number(rows[0]?.rows);
}

const ELSEWHERE = { reference: 'on every server', coordinator: 'on the coordinator' };

/** The place of a table, in the words of the messages. */
const describe = (place: Place): string =>
  typeof place === 'object' ? `distributed by ${place.column}` : ELSEWHERE[place];

/** The place of a table that Citus describes, in the words of `describe`. */
function placeOf({ type, column }: { type: string; column: string }): string {
  if (type === 'distributed') return `distributed by ${column}`;
  return type === 'reference' ? ELSEWHERE.reference : ELSEWHERE.coordinator;
}

/** Returns the place of each table that Citus knows. */
async function readPlaces(db: Db): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; type: string; column: string }>`
    select table_name::text as name, citus_table_type as type, distribution_column as column from citus_tables`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.name, placeOf(row)]));
}

async function assertNoViews(db: Db): Promise<void> {
  const { rows } = await sql`select where to_regnamespace('support') is not null`.execute(db);
  if (rows.length > 0)
    throw new NotDistributable(
      'Support has views of the tables: run `npm run db:migrate` without DATABASE_SUPPORT_ROLE first. Nothing was changed.',
    );
}

async function assertCitus(db: Db): Promise<void> {
  const version = await findCitus(db);
  if (version === null)
    throw new NotDistributable(
      'This database has no extension citus, so there is nothing to distribute. Nothing was changed.',
    );
  if (Number.parseInt(version, 10) < CITUS_FROM)
    throw new NotDistributable(
      `Citus ${version} is too old: ${CITUS_FROM} or newer is needed. Nothing was changed.`,
    );
  const { rows } = await sql<{ workers: string }>`
    select count(*) as workers from citus_get_active_worker_nodes()`.execute(db);
  if (Number(rows[0]?.workers) === 0)
    throw new NotDistributable(
      'The coordinator has no active worker: add one with citus_add_node. Nothing was changed.',
    );
}

async function findCitus(db: Db): Promise<string | null> {
  const { rows } = await sql<{ version: string }>`
    select extversion as version from pg_extension where extname = 'citus'`.execute(db);
  return rows[0]?.version ?? null;
}

async function assertStopped(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from processes where heartbeat_at > now() - make_interval(secs => ${STOPPED_AFTER_SECONDS})`.execute(
    db,
  );
  if (rows.length > 0)
    throw new NotDistributable(
      `Processes are running: ${rows.map(({ name }) => name).join(', ')}. Stop every process first. One that was killed counts as running for ${STOPPED_AFTER_SECONDS} s. Nothing was changed.`,
    );
}
