// The migrations begin with a baseline. A database without a record of it is refused. The schema that version 1.1.0 left becomes the schema
// that this version creates in an empty database.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { BASELINE } from '../../src/tables/schema/baseline.ts';
import { goodEnv } from '../start/process/good-env.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { describeSchema } from '../support/describe-schema.ts';
import { killProcesses, ROOT, startProcess, surroundings } from '../support/process.ts';
import { restoreDatabase, upgrade } from './past.ts';

const run = promisify(execFile);
const service = `service_${randomBytes(4).toString('hex')}`;
const erasure = service.replace('service', 'erasure');
const REFUSAL =
  "The database's schema is older than that of version 1.0.0. Deploy version 1.1.0 first, and run there: npm run db:migrate";

let past: TestDatabase;
let fresh: TestDatabase;
let pastPool: Pool;
let freshPool: Pool;

beforeAll(async () => {
  past = await restoreDatabase();
  fresh = await createEmptyDatabase();
  pastPool = createPool(past.url, 1, noDeadlines);
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
  await past.drop();
  await fresh.drop();
});

/** Runs `npm run db:migrate`, which also grants the roles their privileges. */
const migrate = (url: string): Promise<{ stdout: string; stderr: string }> =>
  run(process.execPath, ['src/tables/schema/migrate.ts'], {
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

test('a database without a record of the baseline is refused in one sentence and is not changed', async () => {
  const rename = (from: string, to: string) =>
    pastPool.query('update schema_migrations set name = $2 where name = $1', [from, to]);
  await rename(BASELINE, 'Migration20261126150000');
  const before = [await records(), await describeSchema(pastPool)];
  await expect(migrate(past.url)).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: `The schema could not be brought up to date: ${REFUSAL}\n`,
  });
  const serving = startProcess(goodEnv(past.url));
  expect(await serving.exited).toEqual({ code: 1, signal: null });
  expect(serving.output()).toBe(`${REFUSAL}\n`);
  expect([await records(), await describeSchema(pastPool)]).toEqual(before);
  await rename('Migration20261126150000', BASELINE);
});

test('this version serves a database of version 1.1.0 only after its migration', async () => {
  const serving = startProcess(goodEnv(past.url));
  expect(await serving.exited).toEqual({ code: 1, signal: null });
  expect(serving.output()).toMatch(/Missing: Migration\d+\b.*Run: npm run db:migrate\n$/);
});

test('a database of version 1.1.0 keeps its records, also those that version 0.4.0 has left', async () => {
  await pastPool.query(`insert into schema_migrations (name) values ('Migration20261126154000')`);
  const names = await records();
  const applied = await upgrade(past);
  expect(applied.length).toBeGreaterThan(1);
  expect(await records()).toEqual([...names, ...applied]);
  expect(await upgrade(past)).toEqual([]);
});

test('a database of version 1.1.0 gets the schema that this version creates in an empty one', async () => {
  expect((await migrate(fresh.url)).stdout).toContain(`applied ${BASELINE}`);
  await migrate(past.url);
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
