// The service's two database roles. The serving role can change rows and nothing else: all operations work under it, and it cannot
// change the schema or delete rows that only erasure deletes. The erasure role can erase people and nothing else.
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { runJob } from '../../src/jobs/run-by-hand.ts';
import { servingDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { erasedTables, listPersonsRows } from '../../src/tables/personal-data-map.ts';
import { payloadTables } from '../../src/tables/webhook-payloads/entity.ts';
import { opsAside, opsHere } from '../ops/support.ts';
import { gbp } from '../support/bank-details.ts';
import { type ComposeService, composeServices } from '../support/compose.ts';
import { createTestDatabase } from '../support/database.ts';
import { migrateWith } from '../support/migrate-with.ts';
import { must, pay, quote, reaches, verified } from '../support/person.ts';
import { killProcesses, ROOT, startReadyProcess, surroundings } from '../support/process.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { makeVera } from '../support/whole-person.ts';
import { startWorld, type World } from '../support/world.ts';

const ROLE = `service_${randomBytes(4).toString('hex')}`;
const ERASURE_ROLE = ROLE.replace('service', 'erasure');
const PASSWORD = randomBytes(12).toString('hex');

let owned: World;
let world: World;
let owner: Pool;
let service: Pool;
let erasure: Pool;

beforeAll(async () => {
  owned = await startWorld({ env: { USDC_ACCOUNTS_ENABLED: 'true' } });
  await owned.service.stop();
  owner = createPool(owned.databaseUrl, 2);
  for (const role of [ROLE, ERASURE_ROLE])
    await owner.query(`create role ${role} login password '${PASSWORD}'`);
  // Migrate twice, as repeated deployments do.
  await migrateFor(ROLE, ERASURE_ROLE);
  await migrateFor(ROLE, ERASURE_ROLE);
  service = createPool(urlOf(ROLE), 2);
  erasure = createPool(urlOf(ERASURE_ROLE), 2);
  const env = { ...owned.env, DATABASE_URL: urlOf(ROLE), ERASURE_DATABASE_URL: urlOf(ERASURE_ROLE) };
  const running = await startWatchedService(env, owned.clock);
  world = { ...owned, env, service: running };
});
afterAll(async () => {
  await killProcesses();
  await world.service.stop();
  await service.end();
  await erasure.end();
  for (const role of [ROLE, ERASURE_ROLE]) await dropRole(role);
  await owner.end();
  await owned.stop();
});

const urlOf = (role: string, password = PASSWORD): string =>
  Object.assign(new URL(owned.databaseUrl), { username: role, password }).href;

async function dropRole(role: string): Promise<void> {
  await owner.query(`drop owned by ${role}`);
  await owner.query(`drop role ${role}`);
}

const migrateFor = (role: string, erasureRole = ''): Promise<string> =>
  migrateWith(owned.databaseUrl, { DATABASE_SERVICE_ROLE: role, DATABASE_ERASURE_ROLE: erasureRole });

test('the role of the service is enough for a payment, a withdrawal and the operators’ commands', async () => {
  const ada = await verified(world, { deposit: '100.00' });
  await reaches(ada, await pay(ada, await quote(ada, 20)), 'completed');
  must(await ada.api.POST('/bank-details', { body: gbp }));
  must(await ada.api.POST('/withdraws', { body: { amount: 1_000 } }));
  for (const call of [
    ['effects', 'pause', 'validateBankDetails', '--reason', 'x'],
    ['effects', 'resume', 'validateBankDetails', '--reason', 'x'],
    ['reconciliation', 'run', '--reason', 'x'],
    ['erasure', 'run', '--reason', 'x'],
    ['payloads', 'purge', '--reason', 'x'],
    ['keys', 'rotate', '--reason', 'x'],
    ['audit', '--all'],
    ['audit', 'verify'],
  ])
    expect([call, await opsHere(world.service.app, call)]).toEqual([
      call,
      expect.objectContaining({ code: 0 }),
    ]);
  expect(await opsAside(world, 'status')).toMatchObject({ code: 0 });
  expect(await failedEffects()).toEqual([]);
});

test.each([
  ['service', ROLE],
  ['erasure', ERASURE_ROLE],
])('a role has its own deadlines when a connection sends none: %s', async (_which, role) => {
  const pooled = createPool(urlOf(role), 1, servingDeadlines, { pooler: 'transaction' });
  const { rows } = await pooled.query('show statement_timeout');
  await pooled.end();
  expect(rows).toEqual([{ statement_timeout: '1min' }]);
});

const forbidden = [
  'create table public.mine (id int)',
  'create temporary table audit_events (id int)',
  'create schema mine',
  `create function public.mine() returns int language sql as 'select 1'`,
  'alter table users add column note text',
  'alter table audit_events disable trigger all',
  'alter table users disable row level security',
  'drop table users',
  'drop trigger audit_events_keep on audit_events',
  'drop index audit_events_user',
  'truncate audit_events',
  'truncate transactions',
  'delete from audit_events',
  `update audit_events set action = 'nothing'`,
  `update transitions set to_state = 'completed'`,
  'delete from transitions',
  'delete from data_keys',
  'delete from transactions',
  'delete from users',
  'delete from schema_migrations',
  'delete from schema_floor',
  'create role other',
  `select pg_read_file('PG_VERSION')`,
  `copy users to program 'cat'`,
  'alter database postgres set work_mem = 64',
];
test.each(forbidden)('the role of the service may not run: %s', async (statement) => {
  await expect(service.query(statement)).rejects.toMatchObject({
    code: expect.stringMatching(/^(42501|0LP01)$/),
  });
});

test('the role of the service causes no warning at the start, but the owner of the schema does at a public address', async () => {
  const inPublic = { PUBLIC_BASE_URL: 'https://api.example.com' };
  expect(await warnings(inPublic)).toEqual([]);
  expect(await warnings({ ...inPublic, DATABASE_URL: owned.databaseUrl })).toEqual([
    'warn database.role_owns_schema',
    'warn database.service_may_erase',
  ]);
  expect(await warnings({ DATABASE_URL: owned.databaseUrl })).toEqual([
    'info database.role_owns_schema',
    'info database.service_may_erase',
  ]);
});

test('the migration gives the rights of the service only to an ordinary role that exists', async () => {
  await expect(migrateFor('nobody_known')).rejects.toThrow('the role nobody_known does not exist');
  const name = new URL(owned.databaseUrl).username;
  await expect(migrateFor(name)).rejects.toThrow(`the role ${name} is a superuser`);
});

/** The levels and codes of what a process logs about its roles at its start. */
async function warnings(env: NodeJS.ProcessEnv): Promise<string[]> {
  const process = await startReadyProcess({
    ...world.env,
    PORT: String(await freePort()),
    ROLE: 'api',
    LOG_LEVEL: 'info',
    ...env,
  });
  process.child.kill('SIGTERM');
  await process.exited;
  return process
    .output()
    .split('\n')
    .flatMap((line) => {
      const [, level, code] = /"level":"(\w+)".*"code":"(database\.\w+)"/.exec(line) ?? [];
      return code === undefined ? [] : [`${level} ${code}`];
    });
}

/** The names of the tables on which the role has one of these privileges. `privileges` are separated by commas. */
async function tablesWhere(role: string, privileges: string): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'p', 'f')
       and has_table_privilege($1, oid, $2) order by relname`,
    [role, privileges],
  );
  return rows.map(({ name }) => name);
}

test('the nightly jobs erase a person completely and destroy the keys of old months, under both roles', async () => {
  const { person, ids } = await makeVera(world);
  const due = new Date(must(await person.api.DELETE('/me')).hardDeletionScheduledFor);
  const runLater = (job: 'purge-payloads' | 'erase-due') =>
    world.clock.later(due.getTime() - Date.now() + 1_000, () =>
      runJob(world.service.app, job, { run: randomUUID() }),
    );
  const purged = await runLater('purge-payloads');
  expect([purged.run.counts, purged.counters.failures]).toEqual([
    expect.objectContaining({ 'month keys destroyed': 1 }),
    [],
  ]);
  const erased = await runLater('erase-due');
  expect([erased.run.counts, erased.counters.failures]).toEqual([{ 'people erased': 1 }, []]);
  for (const table of erasedTables) {
    const rows = await listPersonsRows[table](world.service.app.db, ids);
    expect([table, rows]).toEqual([table, []]);
  }
});

test('an operator erases a person under both roles', async () => {
  const person = await verified(world, { deposit: '10.00' });
  const due = new Date(must(await person.api.DELETE('/me')).hardDeletionScheduledFor);
  const args = ['erasure', 'run', '--force', person.userId, '--reason', 'paid out by hand'];
  const called = await world.clock.later(due.getTime() - Date.now() + 1_000, () =>
    opsHere(world.service.app, args),
  );
  expect(called).toMatchObject({ code: 0 });
  const { rows } = await owner.query('select from users where id = $1', [person.userId]);
  expect(rows).toEqual([]);
});

test('the role of erasure may delete from every table that has a person’s rows, and from no other', async () => {
  expect(await tablesWhere(ERASURE_ROLE, 'delete')).toEqual(erasedTables.toSorted());
  expect(await tablesWhere(ERASURE_ROLE, 'select')).toEqual(erasedTables.toSorted());
  expect(await tablesWhere(ERASURE_ROLE, 'insert')).toEqual(['audit_events']);
  expect(await tablesWhere(ERASURE_ROLE, 'update, truncate, references, trigger, maintain')).toEqual([]);
});

test('the service may delete only rows that it also deletes during a person’s lifetime', async () => {
  const deletable = new Set(await tablesWhere(ROLE, 'delete'));
  expect(erasedTables.filter((table) => deletable.has(table)).toSorted()).toEqual([
    'conversion_quotes',
    'effects',
    'idempotency_keys',
    'name_checks',
    'pix_codes',
    'pix_lookups',
    'pix_quotes',
    'pix_recipients',
    'webhook_events',
    'webhook_payloads',
  ]);
});

test('the service may truncate the tables of payloads, and no other', async () => {
  expect(await tablesWhere(ROLE, 'truncate')).toEqual(payloadTables);
});

test('without a role of erasure the service keeps the right to erase', async () => {
  const before = await tablesWhere(ROLE, 'delete');
  await migrateFor(ROLE);
  const gained = (await tablesWhere(ROLE, 'delete')).filter((table) => !before.includes(table));
  expect(gained).toEqual(expect.arrayContaining(['data_keys', 'transitions']));
  expect(gained.filter((table) => !erasedTables.some((erased) => erased === table))).toEqual([]);
  await migrateFor(ROLE, ERASURE_ROLE);
  expect(await tablesWhere(ROLE, 'delete')).toEqual(before);
});

test.each([
  'create table public.mine (id int)',
  'create temporary table users (id int)',
  'drop table users',
  'truncate transitions',
  `update users set display_name = 'Eve'`,
  'update users set balance_minor = 1',
  `update transitions set to_state = 'completed'`,
  `update data_keys set wrapped_key = ''`,
  'insert into transactions select * from transactions',
  'insert into data_keys select * from data_keys',
  'select details from audit_events',
  `update audit_events set action = 'nothing'`,
  'delete from audit_events',
  'select from webhook_secrets',
  'delete from job_runs',
  `select pg_read_file('PG_VERSION')`,
])('the role of erasure may not run: %s', async (statement) => {
  await expect(erasure.query(statement)).rejects.toMatchObject({ code: '42501' });
});

test('a worker that cannot erase people warns at its start, and a process that only answers requests does not', async () => {
  const elsewhere = await createTestDatabase();
  for (const url of [undefined, elsewhere.url])
    expect(await warnings({ ROLE: 'worker', ERASURE_DATABASE_URL: url })).toEqual([
      'warn database.none_may_erase',
    ]);
  await elsewhere.drop();
  expect(await warnings({ ROLE: 'worker' })).toEqual([]);
  expect(await warnings({ ROLE: 'api', ERASURE_DATABASE_URL: undefined })).toEqual([]);
});

test('a migration refuses to make the service a member of the role of erasure', async () => {
  await expect(migrateFor(ROLE, ROLE)).rejects.toThrow('use two roles');
  await owner.query(`grant ${ERASURE_ROLE} to ${ROLE}`);
  await expect(migrateFor(ROLE, ERASURE_ROLE)).rejects.toThrow('use two roles');
  await owner.query(`revoke ${ERASURE_ROLE} from ${ROLE}`);
  expect(await tablesWhere(ROLE, 'update')).toContain('users');
});

test('a password is replaced by a second login of the role: the migration accepts both, and the former one is refused afterwards', async () => {
  const [former, next, erasing] = [`${ROLE}_a`, `${ROLE}_b`, `${ERASURE_ROLE}_a`];
  for (const [login, role] of [
    [former, ROLE],
    [next, ROLE],
    [erasing, ERASURE_ROLE],
  ])
    await owner.query(`create role ${login} login password '${PASSWORD}' in role ${role}`);
  expect(await migrateFor(ROLE, ERASURE_ROLE)).toContain(`${ROLE} may change rows, and nothing else`);
  const inPublic = { PUBLIC_BASE_URL: 'https://api.example.com', ERASURE_DATABASE_URL: urlOf(erasing) };
  for (const role of ['api', 'worker'])
    expect(await warnings({ ...inPublic, ROLE: role, DATABASE_URL: urlOf(former) })).toEqual([]);

  const env = { ...world.env, PORT: '0', ERASURE_DATABASE_URL: urlOf(erasing) };
  const before = await startWatchedService({ ...env, DATABASE_URL: urlOf(former) }, world.clock);
  const after = await startWatchedService({ ...env, DATABASE_URL: urlOf(next) }, world.clock);
  await before.stop();
  await owner.query(`alter role ${former} password null`);
  const refused = createPool(urlOf(former), 1);
  await expect(refused.query('select 1')).rejects.toMatchObject({ code: '28P01' });
  await refused.end();
  const ada = await verified({ ...world, url: after.url ?? '' }, { deposit: '50.00' });
  await reaches(ada, await pay(ada, await quote(ada, 20)), 'completed');
  const login = createPool(urlOf(next), 1);
  await expect(login.query('delete from transactions')).rejects.toMatchObject({ code: '42501' });
  await login.end();
  await after.stop();
  for (const role of [former, next, erasing]) await dropRole(role);
});

const urlIn = (of: ComposeService | undefined, name: string) => new URL(of?.environment?.[name] ?? '');

test('the compose file makes two ordinary roles, migrates as the owner, and serves and erases by those roles', async () => {
  const { postgres, role: roles, migrate: migration, service: serving } = composeServices();
  const migrates = urlIn(migration, 'DATABASE_URL');
  const serves = urlIn(serving, 'DATABASE_URL');
  const erases = urlIn(serving, 'ERASURE_DATABASE_URL');
  expect(postgres?.environment?.['POSTGRES_USER']).toBe(migrates.username);
  expect(migration?.environment).toMatchObject({
    DATABASE_SERVICE_ROLE: serves.username,
    DATABASE_ERASURE_ROLE: erases.username,
  });
  const users = [migrates, serves, erases].map(({ username }) => username);
  expect(new Set(users).size).toBe(3);
  // Roles belong to the whole server, so they have other names here.
  const makes = (roles?.command ?? [])
    .filter((part) => part.startsWith('--command='))
    .map((part) => part.replace('--command=', '').replace(/(?<=create role )ponte/, ROLE));
  expect(makes).toHaveLength(2);
  for (let time = 0; time < 2; time += 1) for (const make of makes) await owner.query(make);
  const [servingRole = '', erasing = ''] = users.slice(1).map((user) => user.replace('ponte', ROLE));
  const { stdout: migrated } = await promisify(execFile)(process.execPath, ['src/tables/schema/migrate.ts'], {
    cwd: ROOT,
    env: {
      ...surroundings(),
      DATABASE_URL: owned.databaseUrl,
      DATABASE_SERVICE_ROLE: servingRole,
      DATABASE_ERASURE_ROLE: erasing,
    },
  });
  expect(migrated).toContain(`${servingRole} may change rows, and nothing else`);
  expect(migrated).toContain(`${erasing} may erase users, and nothing else`);
  for (const [role, url] of [
    [servingRole, serves],
    [erasing, erases],
  ] as const) {
    const composed = createPool(urlOf(role, url.password), 1);
    expect((await composed.query('select count(*) from users')).rowCount).toBe(1);
    await expect(composed.query('alter table users add column note text')).rejects.toMatchObject({
      code: '42501',
    });
    await composed.end();
  }
  for (const role of [servingRole, erasing]) await dropRole(role);
});

const failedEffects = async (): Promise<unknown[]> =>
  (await owner.query<{ last_error: string }>('select last_error from effects where last_error is not null'))
    .rows;
