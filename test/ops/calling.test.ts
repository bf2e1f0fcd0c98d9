// How the command line is called: its help, what it does not understand, and what it says when it cannot start.
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../scripts/embedded-database.ts';
import { startLocalStack } from '../../scripts/local-stack.ts';
import { commands } from '../../src/ops/commands.ts';
import { environmentFrom } from '../../src/ops/environment.ts';
import { goodEnv } from '../start/process/good-env.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { opsHere, opsProcess } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

const ID = '019ab5e2-7c1f-7d3a-9c55-0a1b2c3d4e5f';

describe('the help', () => {
  it('is one screen with every command, each on a line', async () => {
    const { code, out, err } = await opsProcess({}, ['--help']);
    expect([code, err]).toEqual([0, '']);
    const lines = out.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(48);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(120);
    for (const { name } of commands)
      expect(lines.filter((line) => new RegExp(`^  ${name}(?: <\\w+>)?  `).test(line))).toHaveLength(1);
    expect(await opsHere(null, [])).toEqual({ code: 0, out, err: '' });
  });

  it.each(commands.map(({ name }) => name))('of %s says what it takes', async (name) => {
    const { code, out } = await opsHere(null, [...name.split(' '), '--help']);
    expect(code).toBe(0);
    expect(out).toContain(`npm run ops -- ${name}`);
    expect(out).toContain('--json');
  });
});

describe('what is not understood', () => {
  it.each([
    [['paymnts'], 'Did you mean payments?'],
    [['retry'], 'There is no command "retry". Did you mean retry-payout?'],
    [['frobnicate'], 'There is no command "frobnicate".\n'],
    [['payments', '--lmit', '5'], "Unknown option '--lmit'"],
    [['payments', '--limit', '0'], '--limit must be a whole number from 1 to 1000'],
    [['payments', '--limit', 'many'], '--limit must be'],
    [['payments', '--state', 'paying,lost'], 'knows no "lost"; it takes quoted, converting'],
    [['webhooks', '--status', ''], 'knows no ""'],
    [['payments', 'all'], 'takes no argument'],
    [['show'], 'needs a <id>'],
    [['retry-payout', 'five', '--reason', 'x'], '"five" is no id'],
    [['retry-payout', ID, ID, '--reason', 'x'], 'one <paymentId> at a time'],
    [['discrepancies', 'resolve', ID, '--reason', 'x'.repeat(1_001)], '1000 characters'],
  ])('%j: exit code 2, and a sentence', async (args, sentence) => {
    const { code, out, err } = await opsHere(null, args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(sentence);
    expect(err).toContain('--help');
  });

  const changes = [
    ['retry-payout', ID],
    ['payments acknowledge', ID],
    ['replay', ID],
    ['requeue', ID],
    ['pause', 'startPayout'],
    ['resume', 'startPayout'],
    ['discrepancies resolve', ID],
    ['discrepancies follow', ID],
    ['discrepancies end', ID],
    ['reconcile'],
    ['data-requests read', ID],
    ['data-requests export', ID],
    ['data-requests close', ID],
    ['erase-due'],
    ['purge-payloads'],
    ['adopt', '--all'],
    ['adopt', '--take', ID],
    ['keys rotate'],
    ['webhook-secret rotate'],
    ['webhook-secret revoke', ID],
  ];

  it('lists every change there is', () => {
    const named = new Set(changes.map(([name]) => name));
    expect(commands.filter((command) => command.changes).map(({ name }) => name)).toEqual([...named]);
  });

  it.each(changes)('%s %s without a reason, or by nobody', async (...args) => {
    const given = args.flatMap((arg) => arg?.split(' ') ?? []);
    expect(await opsHere(null, given)).toMatchObject({ code: 2, err: /say why with --reason/ });
    expect(await opsHere(null, [...given, '--reason', '  '])).toMatchObject({ code: 2 });
    const nobody = await opsHere(null, [...given, '--reason', 'x'], { USER: '' });
    expect(nobody).toMatchObject({ code: 2, err: /Who are you/ });
  });
});

describe('where it finds its configuration', () => {
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

  it('says all that is missing at once', async () => {
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

  it('says that the database is away: one sentence', async () => {
    const env = goodEnv(`postgres://ponte:hidden@127.0.0.1:${await freePort()}/ponte`);
    const { code, err } = await opsProcess(env, ['status']);
    expect([code, err]).toEqual([1, 'The database at DATABASE_URL cannot be reached. Is it running?\n']);
  });

  it('takes the local stack’s where none is given, and never a mixture', () => {
    const file = join(folder, 'stack.env');
    writeFileSync(file, 'DATABASE_URL="postgres://local"\nPII_ENCRYPTION_KEY="local:a+b/c="\n', {
      mode: 0o600,
    });
    const local = environmentFrom({ HOME: '/home/olga', PII_ENCRYPTION_KEY: 'other' }, file);
    expect(local).toEqual({
      isLocalStack: true,
      env: { HOME: '/home/olga', DATABASE_URL: 'postgres://local', PII_ENCRYPTION_KEY: 'local:a+b/c=' },
    });
    const given = { DATABASE_URL: 'postgres://production' };
    expect(environmentFrom(given, file)).toEqual({ isLocalStack: false, env: given });
    expect(environmentFrom({}, join(folder, 'nowhere'))).toEqual({ isLocalStack: false, env: {} });
  });

  it('needs none at all beside npm start, and finds nothing once that has stopped', async () => {
    chmodSync(folder, 0o755);
    const [port, sandboxPort] = [await freePort(), await freePort()];
    const stack = await startLocalStack({ folder: join(folder, 'stack'), port, sandboxPort });
    const file = join(folder, 'stack', 'stack.env');
    try {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const { env } = environmentFrom({}, file);
      const { code, out } = await opsProcess(env, ['status']);
      expect([code, out.split('\n')[0]]).toEqual([0, expect.stringContaining(`localhost:${sandboxPort}`)]);
      expect(out).toContain('1 alive');
    } finally {
      await stack.stop();
    }
    expect(existsSync(file)).toBe(false);
  }, 120_000);

  it('answers from a fresh database without a provider', async () => {
    const { code, out } = await opsProcess(goodEnv(database.url), ['status']);
    expect(code).toBe(0);
    expect(out).toContain('none alive: nothing is carried out');
    expect(out).not.toContain('\u001b[');
  });
});
