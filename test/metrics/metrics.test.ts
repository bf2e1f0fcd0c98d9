// GET /metrics as Prometheus scrapes it: requests and calls, the backlog, the process, and no personal data.
import { type AddressInfo } from 'node:net';
import { Gauge } from 'prom-client';
import { beforeAll, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { unfinished } from '../../machines/states.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { serveMetrics } from '../../src/metrics/server.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { dbOver } from '../../src/tables/orm.ts';
import { byTable } from '../support/by-table.ts';
import { call } from '../support/http.ts';
import { valueIn, valueOf } from '../support/metrics.ts';
import { pay, quote, reaches } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const { world, ada } = useWorld({
  env: { METRICS_PORT: String(port), PROVIDER_CONCURRENCY: '17' },
  deposit: '100.00',
});
beforeAll(async () => {
  await reaches(ada, await pay(ada, await quote(ada, 10)), 'completed');
});

const ready = { unready: async () => [], stop: () => undefined };
const scrape = async (from = url): Promise<string> => (await fetch(`${from}/metrics`)).text();

test('GET /metrics returns text that Prometheus reads, each family once with its help and type', async () => {
  const response = await fetch(`${url}/metrics`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  const lines = (await response.text()).trimEnd().split('\n');
  const named = lines.flatMap((line) => /^# TYPE (\S+) (?:counter|gauge|histogram)$/.exec(line)?.[1] ?? []);
  expect(new Set(named).size).toBe(named.length);
  expect(lines.filter((line) => line.startsWith('# HELP'))).toHaveLength(named.length);
  const sample = /^(?<name>[a-z\d_]+)(?:\{(?:[a-z_]+="[^"\\]*",?)+\})? (?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|Nan)$/;
  for (const line of lines.filter((one) => one !== '' && !one.startsWith('#'))) {
    const name = sample.exec(line)?.groups?.['name'] ?? line;
    expect(named).toContain(named.includes(name) ? name : name.replace(/_(bucket|sum|count)$/, ''));
  }
});

test('our metrics follow the naming conventions: counters are totals, and durations are in seconds', async () => {
  const types = [...(await scrape()).matchAll(/^# TYPE (?<name>ponte_\S+) (?<type>\S+)$/gm)].map(
    ({ groups = {} }) => ({ name: groups['name'] ?? '', type: groups['type'] }),
  );
  expect(types.length).toBeGreaterThan(20);
  expect(types.filter(({ name, type }) => (type === 'counter') !== name.endsWith('_total'))).toEqual([]);
  expect(types.filter(({ name }) => /_(ms|millis\w*|kb|mb|percent|minutes|hours)(_|$)/.test(name))).toEqual(
    [],
  );
});

test('the metrics show the processor time, the memory and the event loop lag of the process', async () => {
  const text = await scrape();
  for (const series of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_heap_size_used_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ])
    expect([series, valueIn(text, series)]).toEqual([series, expect.any(Number)]);
  // The series begins with the first garbage collection after the service was started.
  await until(
    async () => {
      Array.from({ length: 100_000 }, (_, index) => ({ index }));
      return scrape();
    },
    (later) => /^nodejs_gc_duration_seconds_count\{kind="/m.test(later),
  );
});

const collect = (): never => {
  throw new Error('the queue cannot be counted');
};

test('a metric that cannot be collected fails the scrape, and the process continues', async () => {
  const metrics = createMetrics({ version: '1.2.3' });
  metrics.registry.registerMetric(
    new Gauge({ name: 'ponte_broken', help: 'Breaks.', registers: [], collect }),
  );
  const server = await serveMetrics({ ...world.service.app, metrics }, { port: 0, host: '127.0.0.1' }, ready);
  const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect((await fetch(`${from}/metrics`)).status).toBe(500);
  expect((await fetch(`${from}/ready`)).status).toBe(200);
  server.close();
});

test('each service has its own counts, even within one process', async () => {
  const [one, other] = [createMetrics({ version: '1.2.3' }), createMetrics({ version: '1.2.3' })];
  one.requested('getMe', 200, 0.1);
  one.called('getAccount', 'not_sent', 0);
  expect(await valueOf(one.registry, 'ponte_http_requests_total{operation="getMe",status="200"}')).toBe(1);
  expect(await one.registry.metrics()).not.toContain('ponte_provider_call_duration_seconds_count{');
  expect(await other.registry.metrics()).not.toContain('getMe');
});

test('requests are counted by operation and status, whatever their address was', async () => {
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

test('durations of requests are counted in cumulative buckets', async () => {
  const text = await scrape();
  const series = (suffix: string, labels: string) =>
    valueIn(text, `ponte_http_request_duration_seconds_${suffix}{${labels}}`) ?? Number.NaN;
  const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, '+Inf'];
  const counts = bounds.map((le) => series('bucket', `le="${le}",operation="getPixPayment"`));
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(counts.at(-1)).toBe(series('count', 'operation="getPixPayment"'));
  expect(counts.at(-1)).toBeGreaterThan(0);
  expect(series('sum', 'operation="getPixPayment"')).toBeGreaterThan(0);
});

test('calls to the provider are counted by outcome, and the metrics show their limits and queues', async () => {
  const text = await scrape();
  expect(valueIn(text, 'ponte_provider_calls_total{operation="createPayout",outcome="answered"}')).toBe(1);
  expect(valueIn(text, 'ponte_provider_call_duration_seconds_count{operation="createPayout"}')).toBe(1);
  expect(valueIn(text, 'ponte_provider_calls_concurrency_limit')).toBe(17);
  expect(valueIn(text, 'ponte_provider_circuit_open{operation="all"}')).toBe(0);
  expect(valueIn(text, 'ponte_provider_retry_after_seconds{operation="createPayout"}')).toBe(0);
  for (const priority of ['interactive', 'background']) {
    expect(valueIn(text, `ponte_provider_calls_in_flight{priority="${priority}"}`)).toBe(0);
    expect(valueIn(text, `ponte_provider_calls_queued{priority="${priority}"}`)).toBe(0);
  }
});

test('the metrics count the backlog', async () => {
  const { db } = world.service.app;
  await byTable(db)
    .updateTable('effects')
    .set({ status: 'exhausted' })
    .where('type', '=', 'startPayout')
    .execute();
  await byTable(db)
    .insertInto('open_circuits')
    .values({ process: 'elsewhere:1', opened_at: new Date(), heartbeat_at: new Date(), reason: 'x' })
    .execute();
  await byTable(db)
    .insertInto('open_circuits')
    .values({ process: 'dead:1', opened_at: new Date(0), heartbeat_at: new Date(0), reason: 'x' })
    .execute();
  const text = await until(scrape, (seen) => valueIn(seen, 'ponte_effects{status="exhausted"}') === 1);
  expect(valueIn(text, 'ponte_database_up')).toBe(1);
  expect(valueIn(text, 'ponte_effects{status="queued"}')).toBe(0);
  expect(valueIn(text, 'ponte_open_circuits')).toBe(1);
  for (const zero of [
    'ponte_pix_payments{state="manual_review"}',
    'ponte_pix_payments{state="payout_failed"}',
    'ponte_withdraws{state="settling"}',
    'ponte_webhook_events{status="received"}',
    'ponte_webhook_events{status="unmatched"}',
    'ponte_waiting_unknown_callbacks',
    'ponte_unknown_callbacks_total{kind="unmapped"}',
    'ponte_unknown_callbacks_total{kind="unowned"}',
    'ponte_unknown_callback_bytes_total{kind="unmapped"}',
    'ponte_unknown_callback_bytes_total{kind="unowned"}',
    'ponte_discrepancies{kind="contradicted_state"}',
    'ponte_discrepancies{kind="twin"}',
    'ponte_effect_pauses',
    'ponte_failing_work{kind="effect"}',
    'ponte_failing_work{kind="callback"}',
    'ponte_failing_work{kind="poll"}',
    'ponte_failing_work{kind="nightly run"}',
    'ponte_outbox_rows{kind="effect",state="due"}',
    'ponte_outbox_rows{kind="callback",state="due"}',
    'ponte_outbox_rows{kind="nightly run",state="running"}',
    'ponte_oldest_due_age_seconds{kind="effect"}',
  ])
    expect([zero, valueIn(text, zero)]).toEqual([zero, 0]);
});

const ageOf = (lifecycle: string, state: string) =>
  `ponte_oldest_unfinished_age_seconds{lifecycle="${lifecycle}",state="${state}"}`;
const pastLimitOf = (lifecycle: string, state: string) =>
  `ponte_unfinished_past_limit{lifecycle="${lifecycle}",state="${state}"}`;

test('the age of the oldest row is shown for every unfinished state, even without any row', async () => {
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

test('the age of an unfinished state is that of its oldest row, and rows past their limit are counted', async () => {
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
  await byTable(db)
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

test('the metrics contain no personal data and no address', async () => {
  const text = await scrape();
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  for (const secret of [ada.userId, ada.token, world.webhookSecret, '/nowhere', '52998224725', 'Ada'])
    expect(text).not.toContain(secret);
});

test('the metrics port serves nothing else', async () => {
  const answers = await Promise.all([
    fetch(`${url}/me`),
    fetch(`${url}/metrics`, { method: 'POST' }),
    fetch(`${world.url}/metrics`),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
});

test('GET /metrics answers without a database and shows that it is down', async () => {
  const pool = createPool(`postgres://ponte@127.0.0.1:${await freePort()}/none`, 1);
  const db = dbOver(world.service.app.orm, pool);
  const server = await serveMetrics({ ...world.service.app, db }, { port: 0, host: '127.0.0.1' }, ready);
  const text = await scrape(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(valueIn(text, 'ponte_database_up')).toBe(0);
  expect(text).toContain('ponte_http_requests_total');
  expect(text).not.toContain('ponte_outbox_rows');
  server.close();
  server.closeAllConnections();
  await db.destroy();
});
