// Calls of the command line: its help, its errors for calls that it does not understand, and its start.
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { startLocalStack } from '../../harness/stack/local-stack.ts';
import { commands, groups } from '../../ops/commands.ts';
import { environmentFrom } from '../../ops/environment.ts';
import { styleFor } from '../../ops/output.ts';
import { goodEnv } from '../start/process/good-env.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { opsHere, opsProcess } from './support.ts';

const ID = '019ab5e2-7c1f-7d3a-9c55-0a1b2c3d4e5f';

test('the help is one screen with every command on its own line', async () => {
  const { code, out, err } = await opsProcess({}, ['--help']);
  expect([code, err]).toEqual([0, '']);
  const lines = out.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(51);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(120);
  for (const { name } of commands)
    expect(lines.filter((line) => new RegExp(`^  ${name}(?: <\\w+>)?  `).test(line))).toHaveLength(1);
  expect(await opsHere(null, [])).toEqual({ code: 0, out, err: '' });
});

test.each(commands.map(({ name }) => name))('the help of %s lists its options', async (name) => {
  const { code, out } = await opsHere(null, [...name.split(' '), '--help']);
  expect(code).toBe(0);
  expect(out).toContain(`npm run ops -- ${name}`);
  expect(out).toContain('--json');
});

test.each([
  ['on a terminal', { isTTY: true }, {}, true],
  ['elsewhere', {}, {}, false],
  ['on a terminal with NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
  ['elsewhere with FORCE_COLOR', {}, { FORCE_COLOR: '1' }, true],
  ['on a terminal with FORCE_COLOR=0', { isTTY: true }, { FORCE_COLOR: '0' }, false],
])('the use of colours is as expected %s', (_where, stream, env, hasColours) => {
  const style = styleFor({ write: () => undefined, ...stream }, env);
  expect(style.red('text')).toBe(hasColours ? '\u001b[31mtext\u001b[39m' : 'text');
  expect(style.bold('')).toBe('');
});

test.each([
  [['paymnts'], 'Did you mean payments?'],
  [['payments', 'acknowlege', ID, '--reason', 'x'], 'Did you mean payments acknowledge?'],
  [['retry', ID], "unknown command 'retry'\nCommands with that word: payments retry-payout\n"],
  [['pause', 'startPayout'], 'Commands with that word: effects pause\n'],
  [['keys'], 'Commands with that word: keys status, keys rotate\n'],
  [['frobnicate'], "unknown command 'frobnicate'\nSee: npm run ops -- --help\n"],
  [['payments', 'all'], "unknown command 'payments all'"],
  [['payments', '--lmit', '5'], "unknown option '--lmit'\n(Did you mean --limit?)"],
  [['payments', '--limit', '0'], 'It must be a whole number from 1 to 1000'],
  [['payments', '--limit', 'many'], 'It must be a whole number'],
  [['payments', '--limit'], "option '--limit <1-1000>' argument missing"],
  [['payments', '--state', 'paying,lost'], '"lost" is none of quoted, converting'],
  [['webhooks', '--status', ''], '"" is none of'],
  [['webhooks', '--json', 'replay', ID], 'too many arguments'],
  [['status', 'all'], "too many arguments for 'status'. Expected 0"],
  [['show'], "missing required argument 'id'"],
  [['payments', 'retry-payout', 'five', '--reason', 'x'], "'five' is invalid for argument 'paymentId'"],
  [['payments', 'retry-payout', ID, ID, '--reason', 'x'], 'Expected 1 argument but got 2'],
  [['discrepancies', 'resolve', ID, '--reason', 'x'.repeat(1_001)], '1000 characters'],
])('the call %j ends with exit code 2 and a sentence', async (args, sentence) => {
  const { code, out, err } = await opsHere(null, args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(sentence);
  expect(err).toContain('--help');
});

const actions = [
  ['find', 'email'],
  ['payments retry-payout', ID],
  ['payments return', ID],
  ['payments stop-return', ID],
  ['payments settle', ID],
  ['payments acknowledge', ID],
  ['effects requeue', ID],
  ['effects pause', 'startPayout'],
  ['effects resume', 'startPayout'],
  ['webhooks replay', ID],
  ['discrepancies resolve', ID],
  ['discrepancies follow', ID],
  ['discrepancies end', ID],
  ['reconciliation run'],
  ['recovery begin'],
  ['recovery adopt', '--all'],
  ['recovery adopt', '--id', ID],
  ['recovery end'],
  ['data-requests read', ID],
  ['data-requests export', ID],
  ['data-requests close', ID],
  ['erasure run'],
  ['payloads purge'],
  ['keys rotate'],
  ['webhook-secret rotate'],
  ['webhook-secret revoke', ID],
];

test('this file lists every action', () => {
  const named = new Set(actions.map(([name]) => name));
  const changing = groups.filter(({ areActions }) => areActions).flatMap((group) => group.commands);
  expect(changing.map(({ name }) => name)).toEqual([...named]);
});

test.each(actions)('the action %s is refused without a reason or an operator', async (...args) => {
  const words = args.flatMap((arg) => arg?.split(' ') ?? []);
  expect(await opsHere(null, words)).toMatchObject({
    code: 2,
    err: /required option '--reason <why>' not specified/,
  });
  expect(await opsHere(null, [...words, '--reason', '  '])).toMatchObject({
    code: 2,
    err: /must not be empty/,
  });
  const nobody = await opsHere(null, [...words, '--reason', 'x'], { USER: '' });
  expect(nobody).toMatchObject({ code: 2, err: /required option '--operator <name>' not specified/ });
  const blank = await opsHere(null, [...words, '--reason', 'x', '--operator', ' ']);
  expect(blank).toMatchObject({ code: 2, err: /" " cannot be an operator's name/ });
});

test.each(['Ada', ' ada', 'ada ', 'a\u200bda', '\u0430da', 'ad\u00e1', 'ada smith', 'a'.repeat(101), "ada'"])(
  'the operator %j is refused, as option and as $USER, because it can be another spelling of a name',
  async (name) => {
    const words = ['effects', 'pause', 'startPayout', '--reason', 'x'];
    const refused = { code: 2, err: /cannot be an operator's name: it takes only a-z, 0-9 and \. _ @ -/ };
    expect(await opsHere(null, [...words, '--operator', name])).toMatchObject(refused);
    expect(await opsHere(null, words, { USER: name })).toMatchObject(refused);
  },
);

describe('the configuration of the command line', () => {
  let database: TestDatabase;
  let folder: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'ponte-ops-'));
  });
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  test('the command line names every variable that is missing or wrong', async () => {
    const { DATABASE_URL, PROVIDER_PASSWORD, ...rest } = goodEnv(database.url);
    const { code, out, err } = await opsProcess(
      { ...rest, DATABASE_URL: 'mysql://x', SESSION_SECRET: 'hush' },
      ['status'],
    );
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^ {2}DATABASE_URL must be/m);
    expect(err).toMatch(/^ {2}PROVIDER_PASSWORD is not set/m);
    expect(err).not.toContain('hush');
    expect([DATABASE_URL, PROVIDER_PASSWORD]).not.toContain(undefined);
  });

  test('the command line says in one sentence that the database cannot be reached', async () => {
    const env = goodEnv(`postgres://ponte:hidden@127.0.0.1:${await freePort()}/ponte`);
    const { code, err } = await opsProcess(env, ['status']);
    expect([code, err]).toEqual([1, 'The database at DATABASE_URL cannot be reached. Is it running?\n']);
  });

  test('the command line uses the local stack’s configuration if DATABASE_URL is not set, and never mixes the two', () => {
    const file = join(folder, 'stack.env');
    writeFileSync(file, 'DATABASE_URL="postgres://local"\nPII_ENCRYPTION_KEY="local:a+b/c="\n', {
      mode: 0o600,
    });
    const local = environmentFrom({ HOME: '/home/olga', PII_ENCRYPTION_KEY: 'other' }, folder);
    expect(local).toEqual({
      isLocalStack: true,
      env: { HOME: '/home/olga', DATABASE_URL: 'postgres://local', PII_ENCRYPTION_KEY: 'local:a+b/c=' },
    });
    const named = environmentFrom({ DATA_FOLDER: folder });
    expect(named).toMatchObject({ isLocalStack: true, env: { DATABASE_URL: 'postgres://local' } });
    const env = { DATABASE_URL: 'postgres://production' };
    expect(environmentFrom(env, folder)).toEqual({ isLocalStack: false, env });
    expect(environmentFrom({}, join(folder, 'nowhere'))).toEqual({ isLocalStack: false, env: {} });
  });

  test('the command line needs no configuration while npm start runs, and finds none after it has stopped', async () => {
    chmodSync(folder, 0o755);
    const [port, sandboxPort] = [await freePort(), await freePort()];
    const stack = await startLocalStack({ folder: join(folder, 'stack'), port, sandboxPort });
    const file = join(folder, 'stack', 'stack.env');
    try {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const { env } = environmentFrom({}, join(folder, 'stack'));
      const { code, out } = await opsProcess(env, ['status']);
      expect([code, out.split('\n')[0]]).toEqual([0, expect.stringContaining(`localhost:${sandboxPort}`)]);
      expect(out).toContain('1 alive');
    } finally {
      await stack.stop();
    }
    expect(existsSync(file)).toBe(false);
  });

  test('the command line answers from a fresh database without a provider', async () => {
    const { code, out } = await opsProcess(goodEnv(database.url), ['status']);
    expect(code).toBe(0);
    expect(out).toContain('none alive: no effect runs');
    expect(out).not.toContain('\u001b[');
  });
});
