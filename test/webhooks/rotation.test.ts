// Rotates the webhook secret while payments are made. Every callback is accepted under either secret, and in the end no callback
// uses the former one.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginSecretRotation } from '../../ops/actions/rotate-webhook-secret.ts';
import { countToBeMoved, moveCallbacks } from '../../ops/move-callbacks.ts';
import { hashText } from '../../src/webhooks/secrets.ts';
import { opsAside, opsHere, opsJson, opsOnFullDisk } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { call } from '../support/http.ts';
import { type Person, pay, quote, reaches, receiveDeposit, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld, type World } from '../support/world.ts';

const DAY_MS = 24 * 60 * 60_000;
const why = ['--reason', 'yearly rotation'];
const by = { operator: 'olga', reason: 'drill' };
const quickly = ['--per-second', '500'];

let world: World;
let proxy: UpstreamProxy;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ponte-secret-'));
  world = await startWorld({
    upstream: async (sandboxUrl) => {
      proxy = await startUpstreamProxy(sandboxUrl);
      return proxy.url;
    },
  });
});
afterAll(async () => {
  await world.stop();
  await proxy.close();
  rmSync(folder, { recursive: true });
});

const knock = async (secret: string): Promise<number> => {
  const json = {
    event: 'something.else',
    data: { uuid: randomUUID() },
    updated_at: new Date().toISOString(),
  };
  return (await call(world, 'POST', `/webhooks/provider/${secret}`, { json })).status;
};

const secretIn = (file: string): string => readFileSync(file, 'utf8').trim().replace('WEBHOOK_SECRET=', '');

const rotate = (...args: string[]) =>
  opsHere(world.service.app, ['webhook-secret', 'rotate', ...args, ...why]);

/** Stops the world's service and starts it again with this secret. */
async function restarted(before: World, secret: string): Promise<World> {
  await before.service.stop();
  const env = { ...before.env, WEBHOOK_SECRET: secret };
  const service = await startWatchedService(env, before.clock);
  return { ...before, env, service, stop: () => service.stop().then(before.stop) };
}

const refusals = async (): Promise<number> => {
  await world.service.app.auditLog.flush();
  const rows = await byTable(world.service.app.db)
    .selectFrom('audit_events')
    .select('id')
    .where('action', '=', 'webhook-secret.refused')
    .execute();
  return rows.length;
};

test('a rotation under load loses no callback, and leaves none under the former secret', async () => {
  const former = world.webhookSecret;
  const file = join(folder, 'next.env');
  const ada = await verified(world, { deposit: '500.00' });
  const bea = await verified(world, { homeCurrency: 'EUR', deposit: '500.00' });
  const under = loadBy([ada, bea]);
  const begun = await opsAside(world, 'webhook-secret', 'rotate', '--file', file, ...why, ...quickly);
  expect(begun).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Done\. \d+ callbacks moved\. Now:/),
  });
  const secret = secretIn(file);
  expect(begun.out + begun.err).not.toContain(secret);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const between = await verified(world, { deposit: '10.00' });
  await under.end();
  expect([await knock(former), await knock(secret), await knock('x'.repeat(43))]).toEqual([200, 200, 404]);
  expect(await refusals()).toBe(1);

  world = await restarted(world, secret);
  for (const person of [ada, bea, between]) person.world = world;
  type Line = { status: string; isConfigured: boolean; toBeMoved: number | null };
  const [now] = await until(
    () => opsJson<Line[]>(world, 'webhook-secret', 'status'),
    ([line]) => line?.status === 'current',
  );
  expect(now).toMatchObject({ isConfigured: true });
  expect(now?.toBeMoved).toBeGreaterThan(0);
  const again = loadBy([ada, bea]);
  const ended = await opsAside(world, 'webhook-secret', 'rotate', '--file', file, ...why, ...quickly);
  expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(/every callback uses it/) });
  await again.end();

  expect(await knock(former)).toBe(200);
  world.clock.advance(8 * DAY_MS);
  await until(
    () => knock(former),
    (status) => status === 404,
  );
  const before = await refusals();
  for (const person of [ada, bea, between]) await receiveDeposit(person, '7.00');
  expect(await refusals()).toBe(before);
  expect(await opsJson<Line[]>(world, 'webhook-secret', 'status')).toMatchObject([
    { status: 'current', isConfigured: true },
    { status: 'former', isConfigured: false },
  ]);
});

test('a rotation that is interrupted moves the rest when it is continued, and moves nothing twice', async () => {
  const { app } = world.service;
  const secret = randomUUID().repeat(2);
  const { id } = await beginSecretRotation(app, { secret, file: 'new.env', forceNew: false }, by);
  const stopped = new AbortController();
  const options = { secretId: id, secret, perSecond: 1_000 };
  const before = proxy.count('updateAccount');
  const some = await moveCallbacks(app, {
    ...options,
    signal: stopped.signal,
    onProgress: ({ moved }) => moved === 3 && stopped.abort(),
  });
  const rest = await moveCallbacks(app, options);
  expect(some.moved).toBeGreaterThanOrEqual(3);
  expect(rest.moved).toBeGreaterThan(0);
  const accounts = await byTable(app.db)
    .selectFrom('provider_accounts')
    .select('id')
    .where('provider_account_id', 'is not', null)
    .execute();
  expect(proxy.count('updateAccount') - before).toBe(accounts.length);
  expect(await moveCallbacks(app, options)).toEqual({ moved: 0, gone: 0, failed: 0 });
  expect((await opsAside(world, 'status')).out).toMatch(/webhook-secret/);
});

test('a former secret is not taken up again, even while it is still accepted', async () => {
  const { app } = world.service;
  const secret = randomUUID().repeat(2);
  const id = randomUUID();
  const now = app.clock.now();
  const former = { id, hash: hashText(secret), status: 'former', created_at: now } as const;
  await byTable(app.db)
    .insertInto('webhook_secrets')
    .values({ ...former, accepted_until: new Date(now.getTime() + 6 * DAY_MS) })
    .execute();
  const again = beginSecretRotation(app, { secret, file: 'former.env', forceNew: true }, by);
  await expect(again).rejects.toThrow('The secret in former.env is a former one.');
});

test('a rotation moves the callbacks of a payout as long as a contestation can bring it back', async () => {
  const { app } = world.service;
  const secret = randomUUID().repeat(2);
  const { id: secretId } = await beginSecretRotation(app, { secret, file: 'new.env', forceNew: true }, by);
  // The clock is too far ahead for a new payment by now.
  const { handle } = await byTable(app.db)
    .selectFrom('provider_resources')
    .select('handle')
    .where('kind', '=', 'payout')
    .where('snapshot_status', '=', 'completed')
    .executeTakeFirstOrThrow();
  const toBeMoved = async (days: number): Promise<number> => {
    await byTable(app.db)
      .updateTable('provider_resources')
      .set({ snapshot_updated_at: new Date(app.clock.now().getTime() - days * DAY_MS) })
      .where('handle', '=', handle)
      .execute();
    return countToBeMoved(app, secretId);
  };
  const [contestable, decided, old] = [await toBeMoved(79), await toBeMoved(109), await toBeMoved(111)];
  expect([contestable - old, decided - old]).toEqual([1, 1]);
});

test('a rotation keeps to its rate', async () => {
  const { app } = world.service;
  const secret = randomUUID().repeat(2);
  const { id } = await beginSecretRotation(app, { secret, file: 'new.env', forceNew: true }, by);
  const begun = performance.now();
  const { moved } = await moveCallbacks(app, { secretId: id, secret, perSecond: 10 });
  expect(moved).toBeGreaterThan(5);
  const seconds = (performance.now() - begun) / 1_000;
  // The first call does not wait. A timer may end a little early.
  expect(moved).toBeLessThanOrEqual(1.5 + 10 * seconds);
});

test('a rotation does not begin during another one, which must be continued or given up', async () => {
  const fresh = join(folder, 'other.env');
  expect(await rotate('--file', fresh)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/is not finished/),
  });
  expect(await rotate('--file', fresh, '--force-new', '--per-second', '1000')).toMatchObject({ code: 0 });
  expect(await knock(secretIn(fresh))).toBe(200);
  expect(await rotate('--file', join(folder, 'next.env'))).toMatchObject({ code: 0 });
});

const wrong: [string, string[], number, RegExp][] = [
  ['no file', [], 2, /required option '--file <path>'/],
  ['a file with another content', ['--file', 'something.txt'], 1, /holds no WEBHOOK_SECRET/],
  ['a path that cannot be written', ['--file', 'missing/next.env'], 1, /cannot be written/],
  ['a rate of zero', ['--file', 'x.env', '--per-second', '0'], 2, /from 1 to 1000/],
];
test.each(wrong)('a rotation with %s does not begin', async (_what, args, code, sentence) => {
  writeFileSync(join(folder, 'something.txt'), 'hello\n');
  const words = args.map((arg, at) => (args[at - 1] === '--file' ? join(folder, arg) : arg));
  const { db } = world.service.app;
  const count = async () => (await byTable(db).selectFrom('webhook_secrets').select('id').execute()).length;
  const before = await count();
  const said = await rotate(...words);
  expect(said).toMatchObject({ code, err: expect.stringMatching(sentence) });
  expect(await count()).toBe(before);
});

test('a rotation that finds no space for its file does not begin, and can be repeated', async () => {
  const file = join(folder, 'full.env');
  const result = await opsOnFullDisk(world, 0, 'webhook-secret', 'rotate', '--file', file, ...why);
  expect(result).toEqual({ code: 1, out: '', err: `${file} cannot be written: no space is left for it.\n` });
  expect(readdirSync(folder).filter((name) => name.startsWith('full'))).toEqual([]);
});

/** Makes users pay repeatedly until stopped. Then each payment must reach `completed`. */
function loadBy(people: Person[]): { end: () => Promise<void> } {
  let isOver = false;
  const all = people.map(async (person) => {
    const payments: string[] = [];
    while (!isOver || payments.length < 3) {
      payments.push(await pay(person, await quote(person, 2)));
      // Without a pause, more callbacks would be created than the rotation can move.
      await pause(300);
    }
    for (const id of payments) await reaches(person, id, 'completed');
  });
  return {
    end: async () => {
      isOver = true;
      await Promise.all(all);
    },
  };
}
