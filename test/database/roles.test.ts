// The service's role can change rows and nothing else: all operations work under it, and it cannot change the schema.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { servingDeadlines } from '../../src/database/deadlines.ts';
import { createPool } from '../../src/database/pool.ts';
import { ops, opsHere } from '../ops/support.ts';
import { must, pay, quote, reaches, verified } from '../support/person.ts';
import { killProcesses, startReadyProcess, surroundings } from '../support/process.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld, type World } from '../support/world.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const ROLE = `service_${randomBytes(4).toString('hex')}`;
const PASSWORD = randomBytes(12).toString('hex');
const root = new URL('../..', import.meta.url).pathname;

let owned: World;
let world: World;
let owner: Pool;
let service: Pool;

beforeAll(async () => {
  owned = await startWorld();
  await owned.service.stop();
  owner = createPool(owned.databaseUrl, 2);
  await owner.query(`create role ${ROLE} login password '${PASSWORD}'`);
  const url = new URL(owned.databaseUrl);
  Object.assign(url, { username: ROLE, password: PASSWORD });
  // Twice, as with every deployment.
  await migrateFor(ROLE);
  await migrateFor(ROLE);
  service = createPool(url.href, 2);
  const env = { ...owned.env, DATABASE_URL: url.href };
  const running = await startWatchedService(env, owned.clock);
  world = { ...owned, env, service: running };
});
afterAll(async () => {
  await killProcesses();
  await world.service.stop();
  await service.end();
  await owner.query(`drop owned by ${ROLE}`);
  await owner.query(`drop role ${ROLE}`);
  await owner.end();
  await owned.stop();
});

/** The output of `npm run db:migrate`. */
async function migrateFor(role: string): Promise<string> {
  const env = { ...surroundings(), DATABASE_URL: owned.databaseUrl, DATABASE_SERVICE_ROLE: role };
  const { stdout } = await promisify(execFile)(process.execPath, ['src/database/migrate.ts'], {
    cwd: root,
    env,
  });
  return stdout;
}

describe('the role of the service', () => {
  it('is enough for a payment, a withdrawal, and what operators do', async () => {
    const ada = await verified(world, { deposit: '100.00' });
    await reaches(ada, await pay(ada, await quote(ada, 20)), 'completed');
    const details = {
      currency: 'GBP',
      accountHolderName: 'Ada Silva',
      accountNumber: '31926819',
      sortCode: '60-16-13',
    } as const;
    must(await ada.api.POST('/bank-details', { body: details }));
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
    expect(await ops(world, 'status')).toMatchObject({ code: 0 });
    expect(await failedEffects()).toEqual([]);
  });

  it('has deadlines of its own, where a connection brings none', async () => {
    const url = new URL(owned.databaseUrl);
    Object.assign(url, { username: ROLE, password: PASSWORD });
    const pooled = createPool(url.href, 1, servingDeadlines, 'transaction');
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
    'delete from schema_migrations',
    'delete from schema_floor',
    'create role other',
    `select pg_read_file('PG_VERSION')`,
    `copy users to program 'cat'`,
    'alter database postgres set work_mem = 64',
  ];
  it.each(forbidden)('is refused: %s', async (statement) => {
    await expect(service.query(statement)).rejects.toMatchObject({
      code: expect.stringMatching(/^(42501|0LP01)$/),
    });
  });

  it('causes no warning at the start; the owner of the schema does, at a public address', async () => {
    const port = String(await freePort());
    const warnings = async (env: NodeJS.ProcessEnv): Promise<string[]> => {
      const process = await startReadyProcess({
        ...world.env,
        PORT: port,
        ROLE: 'api',
        LOG_LEVEL: 'info',
        ...env,
      });
      process.child.kill('SIGTERM');
      await process.exited;
      return process
        .output()
        .split('\n')
        .flatMap((line) => /"level":"(\w+)".*"code":"database.role_owns_schema"/.exec(line)?.[1] ?? []);
    };
    const inPublic = { PUBLIC_BASE_URL: 'https://api.example.com' };
    expect(await warnings(inPublic)).toEqual([]);
    expect(await warnings({ ...inPublic, DATABASE_URL: owned.databaseUrl })).toEqual(['warn']);
    expect(await warnings({ DATABASE_URL: owned.databaseUrl })).toEqual(['info']);
  });

  it('is only given to an ordinary role that is there', async () => {
    await expect(migrateFor('nobody_known')).rejects.toThrow('there is no role nobody_known');
    const name = new URL(owned.databaseUrl).username;
    await expect(migrateFor(name)).rejects.toThrow('more than a service should');
  });
});

describe('the compose file', () => {
  const text = readFileSync(`${root}/docker-compose.yml`, 'utf8');
  const valuesOf = (name: string) =>
    [...text.matchAll(new RegExp(`${name}[:=] ?(.+)$`, 'gm'))].map(([, value = '']) => value);

  it('makes an ordinary role with its own password, migrates as the owner, and serves by that role', async () => {
    const [migrates, serves] = valuesOf('DATABASE_URL').map((url) => new URL(url));
    expect(valuesOf('POSTGRES_USER')).toEqual([migrates?.username]);
    expect(valuesOf('DATABASE_SERVICE_ROLE')).toEqual([serves?.username]);
    expect(serves?.username).not.toBe(migrates?.username);
    const [make = ''] = valuesOf('--command');
    // Roles belong to the whole server, so here it has another name.
    const other = `${ROLE}_composed`;
    for (let time = 0; time < 2; time += 1) await owner.query(make.replaceAll(serves?.username ?? '', other));
    expect(await migrateFor(other)).toContain(`${other} may change rows, and nothing else`);
    const url = new URL(owned.databaseUrl);
    Object.assign(url, { username: other, password: serves?.password });
    const composed = createPool(url.href, 1);
    expect((await composed.query('select count(*) from users')).rowCount).toBe(1);
    await expect(composed.query('alter table users add column note text')).rejects.toMatchObject({
      code: '42501',
    });
    await composed.end();
    await owner.query(`drop owned by ${other}`);
    await owner.query(`drop role ${other}`);
  });
});

const failedEffects = async (): Promise<unknown[]> =>
  (await owner.query<{ last_error: string }>('select last_error from effects where last_error is not null'))
    .rows;
