// Configures fault injection by calls and by its page. The configuration survives a restart, and the same seed repeats the same
// faults.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chance } from '../../sandbox/faults/chance.ts';
import { ALL_KINDS, FAULTS, type Fault, PARAMETERS } from '../../sandbox/faults/registry.ts';
import {
  configureFaults,
  faults,
  forgetFaults,
  injectFaults,
  orderFault,
  readFaults,
  readOrders,
  see,
  stopFaults,
} from './fault-injection-support.ts';
import { startUpstream, submitForm, type Upstream } from './support.ts';

let data: string;
let upstream: Upstream;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'sandbox-'));
  upstream = await startUpstream({ data });
});
afterEach(async () => {
  await upstream.close();
  rmSync(data, { recursive: true });
});

async function restart(): Promise<void> {
  await upstream.close();
  upstream = await startUpstream({ data });
}

const STORM = { replies: { error500: 0.3, error503: 0.3, redirect: 0.2 } };

const submit = (path: string, fields: Record<string, string>) =>
  submitForm(`${upstream.url}/fault-injection${path}`, fields);

/** Makes this many calls, one after the other, and returns their statuses. */
async function statuses(count: number): Promise<number[]> {
  const seen: number[] = [];
  while (seen.length < count) seen.push((await see(upstream, '/v1/payouts/', undefined, 5000)).status);
  return seen;
}

test('fault injection uses the given values and leaves all others off', async () => {
  const { body: off } = await readFaults(upstream);
  const { seed, ...groups } = off;
  const chances = ALL_KINDS.map((kind) => {
    const [group, name] = kind.split('.') as [keyof typeof groups, string];
    return (groups[group] as Record<string, number>)[name];
  });
  expect(new Set([seed, ...chances])).toEqual(new Set([0]));
  const parameters = Object.values(PARAMETERS).flatMap((group) => Object.keys(group));
  const settings = Object.values(groups).flatMap((group) => Object.keys(group));
  expect(settings).toHaveLength(chances.length + parameters.length);

  const configuration = { seed: 7, replies: { dropped: 0.02 }, callbacks: { lost: 0.05, delayedMs: 500 } };
  const { status, body } = await configureFaults(upstream, configuration);
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      seed: 7,
      replies: { ...off.replies, dropped: 0.02 },
      callbacks: { ...off.callbacks, lost: 0.05, delayedMs: 500 },
      business: off.business,
      provider: off.provider,
    },
  });
  expect((await readFaults(upstream)).body).toEqual(body);
  expect(await configureFaults(upstream, body)).toEqual({ status: 200, body });
  expect((await stopFaults(upstream)).body).toEqual(off);
  expect((await readFaults(upstream)).body).toEqual(off);
});

test.each([
  [[], 'the configuration must be a JSON object'],
  [null, 'the configuration must be a JSON object'],
  [{ reply: {} }, 'reply is not known here, only seed, replies, callbacks, business, provider'],
  [{ replies: { drop: 1 } }, 'replies.drop is not known here, only dropped, reset'],
  [{ replies: { dropped: 1.01 } }, 'replies.dropped must be a number from 0 to 1'],
  [{ callbacks: { lost: -0.1 } }, 'callbacks.lost must be a number from 0 to 1'],
  [{ business: { shortByOne: '0.1' } }, 'business.shortByOne must be a number from 0 to 1'],
  [{ callbacks: 0.1 }, 'callbacks must be a JSON object'],
  [{ callbacks: { delayedMs: 0.5 } }, 'callbacks.delayedMs must be a whole number from 0 to 3600000'],
  [{ seed: 'seven' }, 'seed must be a whole number'],
  [{ seed: 1, replies: { hang: 2, x: 1 } }, /x is not known here.*; replies.hang must be/],
])('fault injection refuses %j and keeps its configuration', async (configuration, sentence) => {
  await injectFaults(upstream, { seed: 3, replies: { redirect: 1 } });
  const before = await readFaults(upstream);
  const { status, body } = await configureFaults(upstream, configuration);
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
  expect(body.detail).toMatch(sentence);
  expect(await readFaults(upstream)).toEqual(before);
});

test.each([
  [{ fault: 'dropped' } as const, 'operation must be one of createOwner'],
  [{ operation: 'createPayouts', fault: 'dropped' } as const, 'operation must be one of createOwner'],
  [{ operation: 'createPayout' }, 'fault must be one of dropped, reset'],
  [{ operation: 'createPayout', fault: 'dropped', times: 0 } as const, 'times must be a whole number from 1'],
  [{ operation: 'createPayout', fault: 'dropped', about: 'x'.repeat(201) } as const, 'about must be text'],
  [{ operation: 'createPayout', fault: 'error503', retryAfterSeconds: -1 } as const, 'retryAfterSeconds'],
  [{ operation: 'createPayout', fault: 'dropped', time: 1 } as const, 'time is not known here'],
])('a requested fault %j is refused', async (fault, sentence) => {
  const { status, body } = await orderFault(upstream, fault);
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
  expect(body.detail).toContain(sentence);
  expect(await readOrders(upstream)).toEqual([]);
});

test('fault injection survives a restart, with requested faults and counts', async () => {
  await injectFaults(upstream, { seed: 5, ...STORM });
  await orderFault(upstream, { operation: 'findPayouts', fault: 'redirect', times: 2, about: 'limit' });
  await see(upstream, '/v1/payouts/?limit=1');
  const before = [await readFaults(upstream), await readOrders(upstream), await faults(upstream)];
  await restart();
  expect([await readFaults(upstream), await readOrders(upstream), await faults(upstream)]).toEqual(before);
  expect(before[1]).toMatchObject([{ operation: 'findPayouts', times: 1 }]);

  await stopFaults(upstream);
  expect(await readOrders(upstream)).toEqual([]);
  expect(await faults(upstream)).toEqual({ 'replies.redirect': 1 });
  await forgetFaults(upstream);
  expect(await faults(upstream)).toEqual({});
});

test('the same seed injects the same faults again from the first call on, even across a restart', async () => {
  await injectFaults(upstream, { seed: 7, ...STORM });
  const first = await statuses(40);
  expect(new Set(first)).toEqual(new Set([200, 307, 500, 503]));
  const counted = await faults(upstream);
  await forgetFaults(upstream);

  await injectFaults(upstream, { seed: 7, ...STORM });
  const begun = await statuses(15);
  await restart();
  expect([...begun, ...(await statuses(25))]).toEqual(first);
  expect(await faults(upstream)).toEqual(counted);

  await injectFaults(upstream, { seed: 8, ...STORM });
  expect(await statuses(40)).not.toEqual(first);
});

test('a seed injects the same number of each fault however calls interleave', async () => {
  await injectFaults(upstream, { seed: 9, ...STORM });
  const one = await statuses(40);
  await injectFaults(upstream, { seed: 9, ...STORM });
  const seen = await Promise.all(
    Array.from({ length: 40 }, () => see(upstream, '/v1/payouts/', undefined, 5000)),
  );
  expect(seen.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual(one.toSorted((a, b) => a - b));
});

test('a fault is injected as often as its chance says', () => {
  const draws = Array.from({ length: 20_000 }, (_, nth) => chance(1, 'replies.dropped', 'getPayout', nth));
  const share = (below: number) => draws.filter((draw) => draw < below).length / draws.length;
  for (const below of [0.01, 0.1, 0.5, 0.9]) expect(Math.abs(share(below) - below)).toBeLessThan(0.012);
  expect(Math.min(...draws)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...draws)).toBeLessThan(1);
});

test('the page of fault injection has a field for everything, and the front page links to it', async () => {
  const text = await (await fetch(`${upstream.url}/fault-injection`)).text();
  for (const kind of ALL_KINDS) expect(text).toContain(`name="${kind}"`);
  expect(text).toContain('name="callbacks.delayedMs"');
  expect(text).not.toMatch(/<script|src=|url\(/);
  expect(await (await fetch(upstream.url)).text()).toContain('href="/fault-injection"');
});

test('the page of fault injection configures faults, requests single ones, counts them and stops them all', async () => {
  const set = await submit('', { seed: '4', 'replies.error500': '1', 'business.shortByOne': '' });
  expect(set.status).toBe(200);
  expect(set.text).toContain('<strong>on</strong>');
  expect((await readFaults(upstream)).body).toMatchObject({ seed: 4, replies: { error500: 1 } });
  const order = {
    operation: 'findPayouts',
    fault: 'redirect',
    times: '2',
    about: '7',
    retryAfterSeconds: '',
  };
  expect((await submit('/next', order)).text).toContain('redirect, 2 times');
  expect(await readOrders(upstream)).toMatchObject([{ times: 2, about: '7' }]);
  expect((await see(upstream, '/v1/payouts/')).status).toBe(500);
  expect(await faults(upstream)).toEqual({ 'replies.error500': 1 });
  await submit('/forget', {});
  expect(await faults(upstream)).toEqual({});
  expect((await submit('/clear', {})).text).toContain('<strong>off</strong>');
  expect((await see(upstream, '/v1/payouts/')).status).toBe(200);
});

test('the page of fault injection requests a fault of the provider itself, with its details as JSON', async () => {
  const order = { operation: 'createPayout', fault: 'receivedLate', details: '{ "lateMs": 45000 }' };
  expect((await submit('/next', order)).text).toContain('receivedLate, once');
  expect(await readOrders(upstream)).toMatchObject([{ fault: 'receivedLate', details: { lateMs: 45_000 } }]);
  expect((await submit('/next', { ...order, details: '{' })).status).toBe(400);
});

test('the page of fault injection says which values it cannot use', async () => {
  const reply = await submit('', { 'replies.dropped': '2' });
  expect(reply).toMatchObject({
    status: 400,
    text: expect.stringContaining('replies.dropped must be a number from 0 to 1'),
  });
  expect((await submit('/next', { operation: 'x', fault: 'dropped' })).status).toBe(400);
});

const textOf = (file: string) => readFileSync(`sandbox/faults/${file}`, 'utf8');

test('every fault is applied in the file of its seam, or in one that this file imports', () => {
  const all = Object.values(FAULTS).flatMap((group) => Object.entries(group as Record<string, Fault>));
  const strays = all.filter(([name, { seam }]) => {
    const own = textOf(`${seam.replace(' ', '-')}.ts`);
    const imported = [...own.matchAll(/from '\.\/(?!registry|[a-z]+-)([^']+)'/g)].map(
      ([, file = '']) => file,
    );
    return ![own, ...imported.map(textOf)].some((text) => new RegExp(`\\b${name}\\b`).test(text));
  });
  expect(strays).toEqual([]);
});
