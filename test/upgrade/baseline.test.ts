// The migrations begin with a baseline. A database that version 0.4.0 migrated has its schema, so the baseline is recorded there and not
// run. A database that only an earlier version migrated is refused.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { MikroORM } from '@mikro-orm/postgresql';
import { PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BASELINE } from '../../src/platform/database/baseline.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { ormOptions } from '../../src/platform/database/orm-options.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { migrate as migrateSchema } from '../../src/platform/database/schema.ts';
import { goodEnv } from '../start/process/good-env.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { describeSchema } from '../support/describe-schema.ts';
import { killProcesses, ROOT, startProcess, surroundings } from '../support/process.ts';
import { databases } from './fixtures.ts';
import { type Past, restore } from './past.ts';

const run = promisify(execFile);
const service = `service_${randomBytes(4).toString('hex')}`;
const erasure = service.replace('service', 'erasure');
const former = databases.find(({ name }) => name === '0.4.0.sql') as (typeof databases)[number];
const REFUSAL =
  "The database's schema is older than that of version 0.4.0. Deploy version 0.4.0 first, and run there: npm run db:migrate";

let past: Past;
let fresh: TestDatabase;
let pastPool: Pool;
let freshPool: Pool;

beforeAll(async () => {
  past = await restore(former);
  fresh = await createEmptyDatabase();
  pastPool = createPool(past.database.url, 1, noDeadlines);
  freshPool = createPool(fresh.url, 1, noDeadlines);
  for (const role of [service, erasure]) await freshPool.query(`create role ${role} login`);
});
afterAll(async () => {
  await killProcesses();
  for (const pool of [pastPool, freshPool]) {
    await pool.query(`drop owned by ${service}, ${erasure}`);
    if (pool === freshPool) await pool.query(`drop role ${service}, ${erasure}`);
    await pool.end();
  }
  await past.sandbox.close();
  await past.database.drop();
  await fresh.drop();
});

/** Runs `npm run db:migrate`, which also grants the roles their privileges. */
const migrate = (url: string): Promise<{ stdout: string; stderr: string }> =>
  run(process.execPath, ['src/platform/database/migrate.ts'], {
    cwd: ROOT,
    env: {
      ...surroundings(),
      DATABASE_URL: url,
      DATABASE_SERVICE_ROLE: service,
      DATABASE_ERASURE_ROLE: erasure,
    },
  });

const records = async (): Promise<string[]> =>
  (await pastPool.query<{ name: string }>('select name from schema_migrations order by id')).rows.map(
    ({ name }) => name,
  );

test('a database of a version before 0.4.0 is refused in one sentence and is not changed', async () => {
  const { rows } = await pastPool.query<{ id: number; name: string }>(
    'delete from schema_migrations where id = (select max(id) from schema_migrations) returning id, name',
  );
  const before = [await records(), await describeSchema(pastPool)];
  await expect(migrate(past.database.url)).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: `The schema could not be brought up to date: ${REFUSAL}\n`,
  });
  const serving = startProcess(goodEnv(past.database.url));
  expect(await serving.exited).toEqual({ code: 1, signal: null });
  expect(serving.output()).toBe(`${REFUSAL}\n`);
  expect([await records(), await describeSchema(pastPool)]).toEqual(before);
  await pastPool.query('insert into schema_migrations (id, name) values ($1, $2)', [
    rows[0]?.id,
    rows[0]?.name,
  ]);
});

test('this version serves a database of version 0.4.0 only after its migration', async () => {
  const serving = startProcess(goodEnv(past.database.url));
  expect(await serving.exited).toEqual({ code: 1, signal: null });
  expect(serving.output()).toMatch(new RegExp(`Missing: ${BASELINE}\\b.*Run: npm run db:migrate\\n$`));
});

/** Migrates with no migration but the record of the baseline. */
async function adopt(): Promise<void> {
  const orm = await MikroORM.init({
    ...ormOptions,
    dbName: new URL(past.database.url).pathname.slice(1),
    driverOptions: new PostgresDialect({ pool: createPool(past.database.url, 2, noDeadlines) }),
    migrations: { ...ormOptions.migrations, migrationsList: [] },
  });
  expect(await migrateSchema(orm)).toEqual([]);
  await orm.close(true);
}

test('a database of version 0.4.0 keeps its records and schema, and gets one record of the baseline', async () => {
  const names = await records();
  expect(names.length).toBeGreaterThan(30);
  const schema = await describeSchema(pastPool);
  // Two commands migrate at the same moment, and a third one later.
  await Promise.all([adopt(), adopt()]);
  await adopt();
  expect(await records()).toEqual([...names, BASELINE]);
  expect(await describeSchema(pastPool)).toEqual(schema);
});

test('a database of version 0.4.0 has the schema that the baseline creates in an empty one', async () => {
  expect((await migrate(fresh.url)).stdout).toContain(`applied ${BASELINE}`);
  await migrate(past.database.url);
  expect(await describeSchema(pastPool)).toEqual(await describeSchema(freshPool));
});

test('the description of a schema names every change of it', async () => {
  const changes = [
    'alter table users alter column display_name drop not null',
    'alter table users set (fillfactor = 70)',
    'create index users_display_name on users (display_name)',
    `comment on column users.id is 'an id'`,
    `alter type rail add value 'SWIFT' before 'SEPA'`,
    'alter table withdraws add constraint positive check (seq > 0) not valid',
    'alter table audit_events disable trigger audit_events_keep',
    'grant select on users to public',
    'revoke execute on function audit_events_refuse() from public',
    'alter sequence schema_migrations_id_seq increment by 2',
    `insert into schema_floor (version) values ('9.0.0')`,
  ];
  let last = await describeSchema(freshPool);
  for (const change of changes) {
    await freshPool.query(change);
    const next = await describeSchema(freshPool);
    expect([change, next]).not.toEqual([change, last]);
    last = next;
  }
});
