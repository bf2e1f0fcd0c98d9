// `node test/upgrade/record-database.ts` records the whole database of the present version: the schema, and rows of the first version
// that all migrations have changed. It writes `fixtures/databases/<version>.sql` and `.json`, from which tests restore the database when
// the migrations that made it are gone.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Pool } from 'pg';
import manifest from '../../package.json' with { type: 'json' };
import { schemaFiles } from '../../scripts/baseline/schema-files.ts';
import { startEmbeddedDatabase } from '../../scripts/embedded-database.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createOrm } from '../../src/platform/database/orm.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { migrate } from '../../src/platform/database/schema.ts';
import { withDatabase } from '../support/database-url.ts';
import { describeSchema } from '../support/describe-schema.ts';
import { type DatabaseFixture, databases } from './fixtures.ts';
import { fill, inPresentNames } from './past.ts';

/** The fixture with work in every state of the first version. */
const FIRST = 'Migration20261121082932.sql';
const {
  name: _name,
  migration,
  sql,
  ...told
} = databases.find(({ name }) => name === FIRST) as DatabaseFixture;

/** MikroORM creates this table. */
const MIGRATIONS_TABLE = `create table schema_migrations (
  id serial primary key,
  name varchar(255) not null,
  executed_at timestamptz(6) not null default current_timestamp(6)
);`;

const begun = Date.now();
const temporary = mkdtempSync(path.join(tmpdir(), 'ponte-record-'));
const server = await startEmbeddedDatabase({ folder: path.join(temporary, 'database'), keep: false });
/** Values in place of the provider's ids and amounts, by their names in braces. */
const standIns = new Map<string, string>();
await fill(server.url, { migration, sql }, standInFor);
const orm = await createOrm(createPool(server.url, 2, noDeadlines));
await migrate(orm);
await orm.close(true);
const migrated = createPool(server.url, 1, noDeadlines);
const recorded = await dump(migrated);
await assertRestored(migrated);
await migrated.end();
await server.stop();
rmSync(temporary, { recursive: true, force: true });

const file = path.join(import.meta.dirname, 'fixtures/databases', manifest.version);
const finds = told.finds.map((find) => ({ ...find, sql: inPresentNames(find.sql) }));
writeFileSync(`${file}.sql`, withNames(recorded));
writeFileSync(`${file}.json`, `${JSON.stringify({ ...told, finds }, null, 2)}\n`);
console.log(`recorded ${file}.sql`);

function standInFor(name: string): string {
  const number = String(standIns.size).padStart(2, '0');
  const isAmount = name.startsWith('debited ') || name.startsWith('delivered ');
  const standIn =
    standIns.get(name) ?? (isAmount ? `9900000${number}` : `feedfeed-0000-4000-8000-0000000000${number}`);
  standIns.set(name, standIn);
  return standIn;
}

/** Puts the names in braces back, and `now()` for every time of the recording. */
function withNames(text: string): string {
  let named = text;
  for (const [name, standIn] of standIns) named = named.replaceAll(standIn, `{{${name}}}`);
  return named.replaceAll(/'(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?\+00)'/g, (literal, time: string) =>
    Date.parse(time) >= begun ? 'now()' : literal,
  );
}

/** @throws an AssertionError if the recorded text restores another schema than the migrations make. */
async function assertRestored(original: Pool): Promise<void> {
  await original.query('create database restored');
  const restored = createPool(withDatabase(server.url, 'restored'), 1, noDeadlines);
  await restored.query(recorded);
  assert.deepEqual(await describeSchema(restored), await describeSchema(original));
  await restored.end();
}

async function dump(from: Pool): Promise<string> {
  const schema = (await schemaFiles(from, new Map())).map((one) => one.sql);
  await from.query(`set time zone 'UTC'`);
  const { rows: tables } = await from.query<{ name: string; columns: string[] }>(`
    select relname as name, array_agg(quote_ident(attname) order by attnum) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and attnum > 0 and not attisdropped and relname <> 'schema_floor'
    group by relname order by relname`);
  const inserts: string[] = [];
  for (const { name, columns } of tables) {
    const values = columns.map((column) => `quote_nullable(${column}::text)`).join(', ');
    const { rows } = await from.query<{ row: string }>(
      `select format('  (%s)', concat_ws(', ', ${values})) as row from ${name} order by 1`,
    );
    if (rows.length === 0) continue;
    const lines = rows.map(({ row }) => row.replaceAll(/\bNULL\b/g, 'null'));
    inserts.push(`insert into ${name} (${columns.join(', ')}) values\n${lines.join(',\n')};\n`);
  }
  return [
    `-- The database of version ${manifest.version}, as it was left in the middle of its work. Names in double braces stand for the provider's\n` +
      '-- ids, which a sandbox makes again. Never to be edited: databases in the world hold it.\n',
    ...schema,
    `-- The records of the migrations.\n${MIGRATIONS_TABLE}\n`,
    '-- The rows. The triggers of the audit record do not number and date them again.\nset session_replication_role = replica;\n',
    ...inserts,
    `reset session_replication_role;\nselect setval('schema_migrations_id_seq', (select max(id) from schema_migrations));\n`,
  ].join('\n');
}
