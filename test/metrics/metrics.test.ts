// GET /metrics as a scraper sees it: what was asked and answered, what is still to be done, and nobody's name in it.
import { type AddressInfo } from 'node:net';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unfinished } from '../../machines/states.ts';
import { freePort } from '../../scripts/embedded-database.ts';
import { createPool } from '../../src/database/pool.ts';
import type { Tables } from '../../src/entities/index.ts';
import { serveMetrics } from '../../src/metrics/server.ts';
import { call } from '../support/http.ts';
import { type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let url: string;
let ada: Person;

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  world = await startWorld({ env: { METRICS_PORT: String(port), PROVIDER_CONCURRENCY: '17' } });
  ada = await verified(world, { deposit: '100.00' });
  await reaches(ada, await pay(ada, await quote(ada, 10)), 'completed');
});
afterAll(() => world.stop());

const ready = { unready: async () => [], stop: () => undefined };
const scrape = async (from = url): Promise<string> => (await fetch(`${from}/metrics`)).text();
const valueIn = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

it('is text that Prometheus reads: each family once, with its help and type', async () => {
  const response = await fetch(`${url}/metrics`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4']);
  const lines = (await response.text()).trimEnd().split('\n');
  const named = lines.flatMap((line) => /^# TYPE (\S+) (?:counter|gauge|histogram)$/.exec(line)?.[1] ?? []);
  expect(new Set(named).size).toBe(named.length);
  expect(lines.filter((line) => line.startsWith('# HELP'))).toHaveLength(named.length);
  const sample = /^(?<name>[a-z_]+)(?:\{(?:[a-z]+="[^"\\]*",?)+\})? (?:\d+(?:\.\d+)?(?:e-?\d+)?)$/;
  for (const line of lines.filter((one) => !one.startsWith('#'))) {
    const name = sample.exec(line)?.groups?.['name'] ?? line;
    expect(named).toContain(named.includes(name) ? name : name.replace(/_(bucket|sum|count)$/, ''));
  }
});

it('counts requests by operation and status, whatever the address was', async () => {
  await call(world, 'GET', '/me');
  await call(world, 'GET', '/nowhere/at/all');
  await call(world, 'POST', `/webhooks/provider/${'x'.repeat(40)}`, { json: {} });
  const text = await scrape();
  for (const [operation, status] of [
    ['createPixPayment', 201],
    ['getMe', 401],
    ['receiveProviderWebhook', 404],
    ['none', 404],
  ])
    expect(valueIn(text, `ponte_http_requests_total{operation="${operation}",status="${status}"}`)).toBe(1);
});

it('keeps how long they took in buckets that hold one another', async () => {
  const text = await scrape();
  const series = (suffix: string, labels: string) =>
    valueIn(text, `ponte_http_request_duration_seconds_${suffix}{${labels}}`) ?? Number.NaN;
  const most = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, '+Inf'];
  const counts = most.map((le) => series('bucket', `operation="getPixPayment",le="${le}"`));
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(counts.at(-1)).toBe(series('count', 'operation="getPixPayment"'));
  expect(counts.at(-1)).toBeGreaterThan(0);
  expect(series('sum', 'operation="getPixPayment"')).toBeGreaterThan(0);
});

it('counts calls to the provider by how they went, and shows the way to it', async () => {
  const text = await scrape();
  expect(valueIn(text, 'ponte_provider_calls_total{operation="createPayout",outcome="answered"}')).toBe(1);
  expect(valueIn(text, 'ponte_provider_call_duration_seconds_count{operation="createPayout"}')).toBe(1);
  expect(valueIn(text, 'ponte_provider_calls_limit')).toBe(17);
  expect(valueIn(text, 'ponte_provider_circuit_open')).toBe(0);
  expect(valueIn(text, 'ponte_provider_left_alone_seconds')).toBe(0);
  for (const asker of ['request', 'work']) {
    expect(valueIn(text, `ponte_provider_calls_under_way{asker="${asker}"}`)).toBe(0);
    expect(valueIn(text, `ponte_provider_calls_waiting{asker="${asker}"}`)).toBe(0);
  }
});

it('counts what is to be done', async () => {
  const { db } = world.service.app;
  await db.updateTable('effects').set({ status: 'exhausted' }).where('type', '=', 'startPayout').execute();
  await db
    .insertInto('open_circuits')
    .values({ process: 'elsewhere:1', opened_at: new Date(), heartbeat_at: new Date(), reason: 'x' })
    .execute();
  await db
    .insertInto('open_circuits')
    .values({ process: 'dead:1', opened_at: new Date(0), heartbeat_at: new Date(0), reason: 'x' })
    .execute();
  const text = await until(scrape, (seen) => valueIn(seen, 'ponte_effects{status="exhausted"}') === 1);
  expect(valueIn(text, 'ponte_database_answers')).toBe(1);
  expect(valueIn(text, 'ponte_effects{status="ordered"}')).toBe(0);
  expect(valueIn(text, 'ponte_open_circuits')).toBe(1);
  for (const zero of [
    'ponte_pix_payments{state="manual_review"}',
    'ponte_pix_payments{state="payout_failed"}',
    'ponte_withdraws{state="settling"}',
    'ponte_webhook_events{status="received"}',
    'ponte_webhook_events{status="unmatched"}',
    'ponte_discrepancies{kind="contradicted_state"}',
    'ponte_discrepancies{kind="twin"}',
    'ponte_effect_pauses',
    'ponte_jobs{task="runEffect"}',
    'ponte_oldest_job_age_seconds{task="runEffect"}',
  ])
    expect([zero, valueIn(text, zero)]).toEqual([zero, 0]);
});

const ageOf = (lifecycle: string, state: string) =>
  `ponte_oldest_unfinished_age_seconds{lifecycle="${lifecycle}",state="${state}"}`;
const pastLimitOf = (lifecycle: string, state: string) =>
  `ponte_unfinished_past_limit{lifecycle="${lifecycle}",state="${state}"}`;

describe('the age of what is unfinished', () => {
  it('is shown for every state that is not an end, also where there is nothing', async () => {
    const text = await scrape();
    for (const [lifecycle, among] of Object.entries(unfinished))
      for (const state of among)
        expect([
          state,
          valueIn(text, ageOf(lifecycle, state)),
          valueIn(text, pastLimitOf(lifecycle, state)),
        ]).toEqual([state, 0, 0]);
    expect(text).not.toMatch(/_age_seconds\{lifecycle="\w+",state="(completed|active|refunded)"\}/);
  });

  it('is that of the oldest, and what is past its limit is counted', async () => {
    const { db } = world.service.app;
    const toKey = { pixKey: 'fail@pix.example', pixKeyType: 'email' } as const;
    const older = await pay(ada, await quote(ada, 10), toKey);
    const newer = await pay(ada, await quote(ada, 11), toKey);
    for (const id of [older, newer]) await reaches(ada, id, 'payout_failed');
    const begun = Date.now();
    const shown = await until(
      scrape,
      (text) => Number(valueIn(text, ageOf('pix_payment', 'payout_failed'))) > 0,
    );
    expect(valueIn(shown, pastLimitOf('pix_payment', 'payout_failed'))).toBe(0);
    await db
      .updateTable('pix_payments')
      .set({ state_entered_at: new Date(begun - 8 * 86_400_000) })
      .where('id', '=', older)
      .execute();
    const text = await until(
      scrape,
      (seen) => valueIn(seen, pastLimitOf('pix_payment', 'payout_failed')) === 1,
    );
    const seconds = Number(valueIn(text, ageOf('pix_payment', 'payout_failed')));
    expect(seconds).toBeGreaterThanOrEqual(8 * 86_400);
    expect(seconds).toBeLessThanOrEqual(8 * 86_400 + (Date.now() - begun) / 1_000);
  });
});

it('names nobody and no address', async () => {
  const text = await scrape();
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  for (const secret of [ada.userId, ada.token, world.webhookSecret, '/nowhere', '52998224725', 'Ada'])
    expect(text).not.toContain(secret);
});

describe('the port', () => {
  it('has nothing else on it', async () => {
    const answers = await Promise.all([
      fetch(`${url}/health`),
      fetch(`${url}/metrics`, { method: 'POST' }),
      fetch(`${world.url}/metrics`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it('answers without a database, and says so', async () => {
    const pool = createPool(`postgres://ponte@127.0.0.1:${await freePort()}/none`, 1);
    const replica = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    const server = await serveMetrics(
      { ...world.service.app, replica },
      { port: 0, host: '127.0.0.1' },
      ready,
    );
    const text = await scrape(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(valueIn(text, 'ponte_database_answers')).toBe(0);
    expect(text).toContain('ponte_http_requests_total');
    expect(text).not.toContain('ponte_jobs');
    server.close();
    server.closeAllConnections();
    await replica.destroy();
  });
});
