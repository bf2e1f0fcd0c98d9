// The output of a process that cannot start: everything that an operator needs, and nothing secret.
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../../harness/processes/free-port.ts';
import { createPool } from '../../../src/platform/database/pool.ts';
import { version } from '../../../src/start/version.ts';
import { assertSchemaFits } from '../../../src/tables/schema/schema.ts';
import { killProcesses, startProcess, startReadyProcess } from '../../support/process.ts';
import { useDatabase } from '../../support/use-database.ts';
import { goodEnv } from './good-env.ts';

const [major = 0, minor = 0] = version.split('.').map(Number);
const nextMinor = `${major}.${minor + 1}.0`;

const database = useDatabase();

afterAll(async () => {
  await killProcesses();
});

test('an invalid configuration is reported in full, with all faults together and without a single value', async () => {
  const wrong = {
    PORT: 'eighty-value',
    ROLE: 'chief-value',
    SESSION_SECRET: 'too-short-value',
    SESSION_TTL_SECONDS: '-1',
    PII_ENCRYPTION_KEY: 'one:bm90LTMyLXZhbHVl',
    WEBHOOK_SECRET: 'with/slash/value/that/is/quite/long/enough',
    DATABASE_URL: 'mysql://root:password-value@localhost/x',
    PUBLIC_BASE_URL: 'user:url-value@nowhere',
    PROVIDER_BASE_URL: 'ftp://user:ftp-value@nowhere',
    PROVIDER_PASSWORD: ' ',
    PROVIDER_CONCURRENCY: '0',
    IDENTITY_A_AUDIENCE: 'one-value,,',
    USDC_ACCOUNTS_ENABLED: 'yes-value',
    CORS_ORIGINS: 'https://app.example/path-value',
  };
  const service = startProcess(wrong);
  expect(await service.exited).toEqual({ code: 1, signal: null });
  const output = service.output();
  const missing = ['PROVIDER_NAME', 'PROVIDER_USERNAME', 'PROVIDER_COMPANY_ID', 'IDENTITY_A_ISSUER'];
  for (const name of [...Object.keys(wrong), ...missing])
    expect(output).toMatch(new RegExp(`^  ${name} `, 'm'));
  expect(output).not.toMatch(/-value|bm90|slash|^\s+at /m);
});

test('a configuration has no default for secrets: each one that is not set is reported by name', async () => {
  const secrets = [
    'DATABASE_URL',
    'SESSION_SECRET',
    'WEBHOOK_SECRET',
    'PII_ENCRYPTION_KEY',
    'PROVIDER_USERNAME',
    'PROVIDER_PASSWORD',
  ];
  const env = Object.entries(goodEnv(database.url)).filter(([name]) => !secrets.includes(name));
  const service = startProcess(Object.fromEntries(env));
  expect(await service.exited).toEqual({ code: 1, signal: null });
  for (const name of secrets) expect(service.output()).toMatch(new RegExp(`^  ${name} is not set$`, 'm'));
});

test('a single fault of a configuration is reported in a single line', async () => {
  const service = startProcess({ ...goodEnv(database.url), WEBHOOK_SECRET: 'short' });
  expect(await service.exited).toMatchObject({ code: 1 });
  expect(service.output().trim().split('\n')).toHaveLength(2);
});

test('a database that cannot be reached is reported in one sentence', async () => {
  const service = startProcess(goodEnv(`postgres://ponte:hidden@127.0.0.1:${await freePort()}/ponte`));
  expect(await service.exited).toMatchObject({ code: 1 });
  expect(service.output()).toBe('The database at DATABASE_URL cannot be reached. Is it running?\n');
});

test('a database that does not exist is reported in one sentence', async () => {
  const elsewhere = new URL(database.url);
  elsewhere.pathname = '/never_created';
  const service = startProcess(goodEnv(elsewhere.href));
  expect(await service.exited).toMatchObject({ code: 1 });
  expect(service.output()).toMatch(/^The database at DATABASE_URL rejects the login.*\n$/);
});

test('if the schema excludes this version, the message names the version to deploy', async () => {
  const pool = createPool(database.url, 1);
  await pool.query('insert into schema_floor (version) values ($1)', [nextMinor]);
  const service = startProcess(goodEnv(database.url));
  expect(await service.exited).toMatchObject({ code: 1 });
  expect(service.output()).toBe(
    `The database's schema is too new for this version (${version}). Deploy version ${nextMinor} or a later one, and run there: npm run serve\n`,
  );
  await pool.query('delete from schema_floor where version = $1', [nextMinor]);
  await pool.end();
});

test('versions are compared by their numbers, and the highest floor counts', async () => {
  const pool = createPool(database.url, 1);
  await pool.query(`insert into schema_floor (version) values ($1), ('0.0.10') on conflict do nothing`, [
    version,
  ]);
  await expect(assertSchemaFits(pool, version)).resolves.toBeUndefined();
  await pool.query(`insert into schema_floor (version) values ('10.0.0'), ('9.0.0')`);
  await expect(assertSchemaFits(pool, version)).rejects.toThrow('Deploy version 10.0.0');
  await pool.query(`delete from schema_floor where version in ('10.0.0', '9.0.0')`);
  await pool.end();
});

test('in production, a database that confirms commits before they are on disk is refused with the statement that changes it', async () => {
  const name = new URL(database.url).pathname.slice(1);
  const pool = createPool(database.url, 1);
  await pool.query(`alter database ${name} set synchronous_commit = off`);
  const service = startProcess({ ...goodEnv(database.url), NODE_ENV: 'production' });
  expect(await service.exited).toEqual({ code: 1, signal: null });
  expect(service.output()).toMatch(/^The database confirms a commit before it is on disk .*\n$/);
  expect(service.output()).toMatch(/: alter role \w+ set synchronous_commit = on;\n$/);

  await pool.query(`alter database ${name} set synchronous_commit = on`);
  const durable = { ...goodEnv(database.url), NODE_ENV: 'production', SHUTDOWN_DELAY_SECONDS: '0' };
  const started = await startReadyProcess(durable);
  started.child.kill('SIGTERM');
  expect(await started.exited).toEqual({ code: 0, signal: null });

  const erasing = new URL(database.url);
  erasing.searchParams.set('options', '-c synchronous_commit=off');
  const refused = startProcess({ ...durable, ERASURE_DATABASE_URL: erasing.href });
  expect(await refused.exited).toEqual({ code: 1, signal: null });
  expect(refused.output()).toContain('set synchronous_commit = on;');
  await pool.end();
});

test('outside production, a database that confirms commits before they are on disk is used', async () => {
  const name = new URL(database.url).pathname.slice(1);
  const pool = createPool(database.url, 1);
  await pool.query(`alter database ${name} set synchronous_commit = off`);
  await pool.end();
  const started = await startReadyProcess(goodEnv(database.url));
  started.child.kill('SIGTERM');
  expect(await started.exited).toEqual({ code: 0, signal: null });
});

test('if the schema is older, the message names the missing migration and the command', async () => {
  const pool = createPool(database.url, 1);
  const { rows } = await pool.query<{ name: string }>(
    'delete from schema_migrations where id = (select max(id) from schema_migrations) returning name',
  );
  await pool.end();
  const service = startProcess(goodEnv(database.url));
  expect(await service.exited).toMatchObject({ code: 1 });
  expect(service.output()).toContain(rows[0]?.name);
  expect(service.output()).toMatch(/npm run db:migrate\n$/);
});

test('if the database has no schema, the message names the command', async () => {
  const pool = createPool(database.url, 1);
  await pool.query('drop table if exists schema_migrations');
  await pool.end();
  const service = startProcess(goodEnv(database.url));
  expect(await service.exited).toMatchObject({ code: 1 });
  expect(service.output()).toMatch(/^The database's schema is older .*all of it.*npm run db:migrate\n$/);
});
