// Support logs in with roles of their own. They see where money is and not whose, find people by what these name, and change nothing.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm } from '../../src/tables/orm.ts';
import { migrate } from '../../src/tables/schema/schema.ts';
import { auditOf, type CommandResult, opsAt, opsProcess } from '../ops/support.ts';
import { migrateWith } from '../support/migrate-with.ts';
import { ROOT } from '../support/process.ts';
import { useWorld } from '../support/use-world.ts';
import { makeVera, vera, type WholePerson } from '../support/whole-person.ts';

const PASSWORD = randomBytes(12).toString('hex');
/** Roles belong to the whole server, so they have other names here. */
const RUN = `run${randomBytes(4).toString('hex')}`;
const roles = readFileSync(`${ROOT}/deploy/sql/roles.sql`, 'utf8').replaceAll('ponte_', `${RUN}_`);
const ofRun = (name: string): string => `${RUN}_${name}`;
const [SERVICE, ERASURE, OPERATORS, SUPPORT] = ['service', 'erasure', 'operators', 'support'].map(ofRun);
const [ADA, CARLA, DORA] = [ofRun('ada'), ofRun('carla'), ofRun('dora')];

const { world } = useWorld({ env: { USDC_ACCOUNTS_ENABLED: 'true' } });
let owner: Pool;
let carla: Pool;
let whole: WholePerson;

beforeAll(async () => {
  whole = await makeVera(world);
  owner = createPool(world.databaseUrl, 2);
  await owner.query(roles);
  await owner.query(`create role ${ADA} login password '${PASSWORD}' in role ${OPERATORS}`);
  for (const login of [CARLA, DORA])
    await owner.query(`create role ${login} login password '${PASSWORD}' in role ${SUPPORT}`);
  await migrateFor();
  carla = createPool(urlOf(CARLA), 2);
});
afterAll(async () => {
  await carla.end();
  for (const role of [ADA, CARLA, DORA, OPERATORS, SUPPORT, SERVICE, ERASURE])
    await owner.query(`drop owned by ${role}; drop role ${role}`);
  await owner.end();
});

const urlOf = (login: string): string =>
  Object.assign(new URL(world.databaseUrl), { username: login, password: PASSWORD }).href;

const migrateFor = (names: NodeJS.ProcessEnv = {}): Promise<string> =>
  migrateWith(world.databaseUrl, {
    DATABASE_SERVICE_ROLE: SERVICE,
    DATABASE_ERASURE_ROLE: ERASURE,
    DATABASE_OPERATORS_ROLE: OPERATORS,
    DATABASE_SUPPORT_ROLE: SUPPORT,
    ...names,
  });

const viewNames = async (): Promise<string[]> =>
  (
    await owner.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = to_regnamespace('support') order by 1`,
    )
  ).rows.map(({ name }) => name);

test('the views have every row of what support looks at, and nothing that says who a person is', async () => {
  const { userId } = whole.person;
  const views = await viewNames();
  expect(views).toContain('pix_payments');
  for (const table of ['pix_payments', 'withdraws', 'transactions', 'provider_accounts', 'transitions']) {
    const count = `select count(*)::int as rows from`;
    const [seen, stored] = await Promise.all([
      carla.query(`${count} support.${table} where user_id = $1`, [userId]),
      owner.query(`${count} public.${table} where user_id = $1`, [userId]),
    ]);
    expect([table, seen.rows]).toEqual([table, stored.rows]);
    expect(seen.rows).not.toEqual([{ rows: 0 }]);
  }
  // Operators write their own words into the resolution.
  const { discrepancy: _written, ...values } = vera;
  for (const view of views) {
    const { rows } = await carla.query<{ row: Record<string, unknown> }>(
      `select to_jsonb(view) as row from support.${view} as view`,
    );
    const text = JSON.stringify(rows).toLowerCase();
    expect([view, Object.values(values).filter((value) => text.includes(value.toLowerCase()))]).toEqual([
      view,
      [],
    ]);
  }
});

test('the views have no bytes: sealed values and hashes are empty, and null stays null', async () => {
  const { rows: columns } = await owner.query<{ view: string; column: string }>(
    `select table_name as view, column_name as column from information_schema.columns
     where table_schema = 'support' and data_type = 'bytea'`,
  );
  expect(columns.length).toBeGreaterThan(10);
  for (const { view, column } of columns) {
    const { rows } = await carla.query(
      `select 1 from support.${view} where octet_length(${column}) > 0 limit 1`,
    );
    expect([view, column, rows]).toEqual([view, column, []]);
  }
  const { rows } = await carla.query(
    `select display_name, auth_subject, octet_length(email_sealed) as email from support.users where id = $1`,
    [whole.person.userId],
  );
  expect(rows).toEqual([{ display_name: '', auth_subject: '', email: 0 }]);
});

test.each([
  'select from public.users',
  'select from public.pix_payments',
  'select details from public.audit_events',
  'select from public.data_keys',
  'select from public.webhook_secrets',
  'select from public.idempotency_keys',
  `update support.users set home_currency = 'EUR'`,
  'delete from support.pix_payments',
  'insert into support.effect_pauses select * from support.effect_pauses',
  'insert into support.operator_roles values (session_user)',
  `insert into public.audit_events (id, occurred_at, action, details)
    values (gen_random_uuid(), now(), 'operator.find', '{}')`,
  `update support.audit_events set action = 'nothing'`,
  'delete from support.audit_events',
  'truncate public.transactions',
  'create table support.mine (id int)',
  'create temporary table mine (id int)',
  'create view public.mine as select 1',
  `select pg_read_file('PG_VERSION')`,
])('a login of support may not run: %s', async (statement) => {
  await expect(carla.query(statement)).rejects.toMatchObject({ code: '42501' });
});

const insert = (pool: Pool, action: string) =>
  pool.query(`insert into support.audit_events (id, occurred_at, action, details)
    values (gen_random_uuid(), now(), '${action}', '{"operator": "ada", "target": "x"}')`);

test('a login of support adds audit rows of its own searches, under its own name, and reads no others', async () => {
  await insert(carla, 'operator.find');
  const dora = createPool(urlOf(DORA), 1);
  await insert(dora, 'operator.find');
  await dora.end();
  for (const action of ['operator.payments settle', 'session.refused'])
    await expect(insert(carla, action)).rejects.toMatchObject({ code: '44000' });
  const { rows } = await carla.query('select details from support.audit_events');
  expect(rows).toEqual([{ details: { operator: CARLA, databaseUser: CARLA, target: 'x' } }]);
});

/** Calls a command as a person of support does: with a login and a search key, and without the service's secrets. */
async function opsAs(login: string, args: string[], line = ''): Promise<CommandResult> {
  const { SEARCH_KEY } = world.env;
  const env = { DATABASE_URL: urlOf(login), SEARCH_KEY, USER: 'carla', PROVIDER_PASSWORD: undefined };
  const result = await opsAt(() => Promise.reject(new Error('it has no keys')), args, env, false, line);
  const text = `${result.out}${result.err}`.toLowerCase();
  const { discrepancy: _written, ...values } = vera;
  const said = Object.values(values).filter((value) => text.includes(value.toLowerCase()));
  expect([args, said]).toEqual([args, []]);
  return result;
}

const idsOf = async (table: string): Promise<string[]> =>
  (
    await owner.query<{ id: string }>(`select id from ${table} where user_id = $1`, [whole.person.userId])
  ).rows.map(({ id }) => id);

test.each([
  ['email', vera.email, 'user'],
  ['account', 'the account number that she pays into', 'user'],
  ['pix-key', vera.pixKey, 'payment'],
  ['amount', `250.00 BRL ${new Date().toISOString().slice(0, 10)}`, 'payment'],
])('support finds by %s and sees ids, and the audit row has the login', async (what, term, kind) => {
  const { deposit } = await whole.person.ponte.me();
  if (deposit === null || !('accountNumber' in deposit)) throw new Error('a British account was expected');
  const line = what === 'account' ? deposit.accountNumber : term;
  const found = await opsAs(CARLA, ['find', what, '--reason', 'ticket 12', '--operator', 'otto'], line);
  expect([found.code, found.out]).toEqual([0, expect.stringMatching(new RegExp(`^${kind} +[0-9a-f-]{36}`))]);
  const rows = await auditOf(world, `${what}, 1 found`);
  expect(rows.at(-1)?.details).toMatchObject({
    operator: CARLA,
    databaseUser: CARLA,
    reason: 'ticket 12',
  });
});

test('support sees a user, a payment, a withdrawal and a deposit, and no value that is sealed', async () => {
  const [user, payment, withdrawal, deposit] = [
    whole.person.userId,
    (await idsOf('pix_payments'))[0] ?? '',
    (await idsOf('withdraws'))[0] ?? '',
    (await idsOf(`(select * from transactions where type = 'deposit') as deposits`))[0] ?? '',
  ];
  expect((await opsAs(CARLA, ['show', user])).out).toMatch(/GBP account +active/);
  const shown = await opsAs(CARLA, ['show', payment]);
  expect(shown.code).toBe(0);
  expect(shown.out).toMatch(/pays +BRL [\d.]+ to email \(sealed\)/);
  expect(shown.out).toContain('At the provider, as it last reported');
  expect(shown.out).toMatch(/^ {2}payout +completed/m);
  expect((await opsAs(CARLA, ['show', withdrawal])).out).toMatch(/by FPS to \(sealed\)/);
  expect((await opsAs(CARLA, ['show', deposit])).out).toMatch(/the payer wrote +\(sealed\)/);
  for (const id of [user, payment, withdrawal, deposit])
    expect(await opsAs(CARLA, ['show', id, '--json'])).toMatchObject({ code: 0, err: '' });
});

test('support sees the lists and the state of the service', async () => {
  for (const args of [['payments', '--state', 'completed'], ['overdue'], ['status']])
    for (const call of [args, [...args, '--json']])
      expect([call, await opsAs(CARLA, call)]).toEqual([call, expect.objectContaining({ code: 0 })]);
  const { code, out } = await opsProcess({ DATABASE_URL: urlOf(CARLA) }, ['status']);
  expect([code, out]).toEqual([0, expect.stringContaining('1 alive')]);
});

test('a command that needs a secret ends with a sentence before anything happens', async () => {
  const [payment = ''] = await idsOf('pix_payments');
  for (const args of [
    ['payments', 'retry-payout', payment, '--reason', 'x'],
    ['effects', 'pause', 'startPayout', '--reason', 'x'],
    ['keys', 'rotate', '--reason', 'x'],
    ['audit'],
    ['data-requests'],
  ]) {
    const { code, out, err } = await opsAs(CARLA, args);
    expect([args, code, out]).toEqual([args, 1, '']);
    expect(err).toContain('needs PII_ENCRYPTION_KEY and PROVIDER_PASSWORD, which are not set.');
    expect(err).toContain('These commands do not: status, show, overdue, payments, find.');
  }
});

test('the database refuses an action of support, whatever secrets the environment has', async () => {
  const env = { ...world.env, DATABASE_URL: urlOf(CARLA), USER: 'carla' };
  const refused = await opsProcess(env, ['effects', 'pause', 'startPayout', '--reason', 'x']);
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toMatch(/^The login of DATABASE_URL may not do this: permission denied for .*\.\n$/);
  expect((await owner.query('select from effect_pauses')).rows).toEqual([]);
});

test('a migration may change the columns of a view, and makes the views again with the new ones', async () => {
  await owner.query('alter table effect_pauses add column note text');
  expect(await migrateFor()).toContain(`members of ${SUPPORT} may read where money is, and not whose`);
  await expect(carla.query('select note from support.effect_pauses')).resolves.toBeDefined();
  const orm = await createOrm(owner);
  await migrate(orm);
  expect(await viewNames()).toEqual([]);
  await owner.query('alter table effect_pauses drop column note');
  await migrateFor();
  await expect(carla.query('select from support.effect_pauses')).resolves.toBeDefined();
});

test('a migration that names no role of support takes the views away', async () => {
  await migrateFor({ DATABASE_SUPPORT_ROLE: '' });
  expect(await viewNames()).toEqual([]);
  await expect(carla.query('select from support.users')).rejects.toMatchObject({ code: '42P01' });
  await migrateFor();
  await expect(carla.query('select from support.users')).resolves.toBeDefined();
});

test('the migration refuses a role of support that may do more, or without a role of operators', async () => {
  await expect(migrateFor({ DATABASE_OPERATORS_ROLE: '' })).rejects.toThrow('needs DATABASE_OPERATORS_ROLE');
  await expect(migrateFor({ DATABASE_SUPPORT_ROLE: ADA })).rejects.toThrow('use two roles');
  await expect(migrateFor({ DATABASE_SUPPORT_ROLE: SERVICE })).rejects.toThrow('use two roles');
  await expect(migrateFor({ DATABASE_SUPPORT_ROLE: 'nobody_known' })).rejects.toThrow('does not exist');
  await migrateFor();
});

test('a schema `support` with tables of somebody else is left alone', async () => {
  await owner.query('create table support.theirs (id int)');
  await expect(migrateFor()).rejects.toThrow('the schema support has tables');
  await owner.query('drop table support.theirs');
  await migrateFor();
});
