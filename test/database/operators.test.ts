// Operators log in with roles of their own. The audit record takes their names from their logins, whatever they send, and takes changes
// from nobody else.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startOps } from '../../ops/start.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { auditOf, type CommandResult, opsAt } from '../ops/support.ts';
import { migrateWith } from '../support/migrate-with.ts';
import { pay, quote, reaches } from '../support/person.ts';
import { ROOT } from '../support/process.ts';
import { useWorld } from '../support/use-world.ts';

const PASSWORD = randomBytes(12).toString('hex');
/** Roles belong to the whole server, so they have other names here. */
const RUN = `run${randomBytes(4).toString('hex')}`;
const roles = readFileSync(`${ROOT}/deploy/sql/roles.sql`, 'utf8').replaceAll('ponte_', `${RUN}_`);
const ofRun = (name: string): string => `${RUN}_${name}`;
const [SERVICE, ERASURE, GROUP] = [ofRun('service'), ofRun('erasure'), ofRun('operators')];
const [ADA, OTTO] = [ofRun('ada'), ofRun('otto')];

const { world, ada: payer } = useWorld({ deposit: '100.00' });
let owner: Pool;

beforeAll(async () => {
  owner = createPool(world.databaseUrl, 1);
  await owner.query(roles);
  for (const login of [ADA, OTTO])
    await owner.query(`create role ${login} login password '${PASSWORD}' in role ${GROUP}`);
  await migrateFor(GROUP);
});
afterAll(async () => {
  for (const role of [ADA, OTTO, GROUP, ERASURE, ofRun('support')])
    await owner.query(`drop owned by ${role}; drop role ${role}`);
  await owner.end();
});

const urlOf = (login: string): string =>
  Object.assign(new URL(world.databaseUrl), { username: login, password: PASSWORD }).href;

const migrateFor = (operators: string, service = SERVICE): Promise<string> =>
  migrateWith(world.databaseUrl, {
    DATABASE_SERVICE_ROLE: service,
    DATABASE_ERASURE_ROLE: ERASURE,
    DATABASE_OPERATORS_ROLE: operators,
  });

/** Calls a command with a connection of this login, as a person with their own environment does. */
const opsAs = (login: string, ...args: string[]): Promise<CommandResult> =>
  opsAt(() => startOps({ ...world.env, DATABASE_URL: urlOf(login) }), [...args, '--reason', 'ticket 12']);

const pause = (login: string, ...args: string[]) =>
  opsAs(login, 'effects', 'pause', 'validateBankDetails', ...args);
const resume = (login: string) => opsAs(login, 'effects', 'resume', 'validateBankDetails');

test('a settlement takes two logins: one person with two names stays one operator', async () => {
  const id = await pay(payer, await quote(payer, 8.88));
  await reaches(payer, id, 'manual_review');
  const figures = ['--amount', '1.20', '--currency', 'GBP', '--reference', 'FPS 4711'];
  const settle = (login: string, name: string) =>
    opsAs(login, 'payments', 'settle', id, ...figures, '--operator', name);

  expect((await settle(ADA, 'ada')).out).toContain('Another operator confirms it');
  expect((await settle(ADA, 'otto')).out).toContain('Another operator confirms it');
  expect((await settle(OTTO, 'ada')).out).toContain('It is settled');
  expect(
    (await auditOf(world, id)).map(({ details }) => [details['operator'], details['databaseUser']]),
  ).toEqual([
    [ADA, ADA],
    [ADA, ADA],
    [OTTO, OTTO],
  ]);
});

test('a change needs an operator’s login, and a login that is shared gets a sentence', async () => {
  const shared = await opsAt(
    () => startOps(world.env),
    ['effects', 'pause', 'validateBankDetails', '--reason', 'x'],
  );
  expect(shared).toMatchObject({ code: 1, out: '' });
  expect(shared.err).toContain(`Operators log in with a role of their own here, a member of ${GROUP}`);
  const view = await opsAt(() => startOps(world.env), ['status']);
  expect(view.code).toBe(0);
});

const insert = (name: string) => `insert into audit_events (id, occurred_at, action, details)
  values (gen_random_uuid(), now(), 'operator.payments return', '{"operator": "${name}", "target": "${name}"}')`;

test('the database refuses an operator’s audit row from any other login, and writes the login into those that it takes', async () => {
  await expect(owner.query(insert('ada'))).rejects.toMatchObject({ code: '42501' });
  const pool = createPool(urlOf(ADA), 1);
  await pool.query(insert('otto'));
  await pool.end();
  const rows = await auditOf(world, 'otto');
  expect(rows.map(({ details }) => details)).toEqual([{ operator: ADA, databaseUser: ADA, target: 'otto' }]);
  expect((await opsAt(() => startOps(world.env), ['audit', 'verify'])).code).toBe(0);
});

test.each([
  `update users set id = id where false`,
  `insert into operator_roles (name) values ('pg_database_owner')`,
  'delete from operator_roles',
  `update audit_events set action = 'nothing'`,
  'alter table audit_events disable trigger all',
  'delete from transactions',
  'delete from data_keys',
])('an operator’s login has the rights of the service, and no more: %s', async (statement) => {
  const pool = createPool(urlOf(ADA), 1);
  const outcome = await pool.query(statement).then(
    () => 'done',
    ({ code }: { code: string }) => code,
  );
  await pool.end();
  expect(outcome).toBe(statement.startsWith('update users') ? 'done' : '42501');
});

test('without a role of operators a change has the name that was given', async () => {
  await owner.query('delete from operator_roles');
  const flags = ['--reason', 'x', '--operator', 'olga'];
  await opsAt(() => startOps(world.env), ['effects', 'pause', 'validateBankDetails', ...flags]);
  const [row] = await auditOf(world, 'validateBankDetails');
  expect(row?.details).toMatchObject({ operator: 'olga', databaseUser: new URL(world.databaseUrl).username });

  expect(await migrateFor(GROUP)).toContain(`members of ${GROUP} may change rows, under their own names`);
  // A migration that forgets the role does not let others in.
  expect(await migrateFor('')).not.toContain('under their own names');
  expect((await resume(OTTO)).code).toBe(0);
  expect((await pause(ADA, '--operator', 'otto')).code).toBe(0);
  expect((await resume(OTTO)).code).toBe(0);
  expect((await auditOf(world, 'validateBankDetails')).map(({ details }) => details['operator'])).toEqual([
    'olga',
    OTTO,
    ADA,
    OTTO,
  ]);
});

test('the migration refuses operators who may erase, and a service that could act as an operator', async () => {
  await expect(migrateFor(ERASURE)).rejects.toThrow('use two roles');
  await expect(migrateFor(GROUP, ADA)).rejects.toThrow('use two roles');
  await expect(migrateFor('nobody_known')).rejects.toThrow('the role nobody_known does not exist');
});
