// The trace of a payment, from its request to its completion, as a collector receives it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { type Collector, pathsOf, type ReceivedSpan, startCollector } from '../support/collector.ts';
import { makePollsDue } from '../support/outbox.ts';
import { type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { startWorld, type World } from '../support/world.ts';

let collector: Collector;
let proxy: UpstreamProxy;
let world: World;
let ada: Person;

beforeAll(async () => {
  collector = await startCollector();
  world = await startWorld({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: 'always_on' },
    upstream: async (sandboxUrl) => {
      proxy = await startUpstreamProxy(sandboxUrl);
      return proxy.url;
    },
  });
  ada = await verified(world, { deposit: '500.00' });
});
afterAll(async () => {
  await world.stop();
  await proxy.close();
  await collector.close();
});

const traceIdOf = (traceparent: string | undefined): string => traceparent?.split('-')[1] ?? 'none';

const spansOf = (traceId: string): ReceivedSpan[] =>
  collector.spans().filter((span) => span.traceId === traceId);

const rootsOf = (spans: ReceivedSpan[]): ReceivedSpan[] =>
  spans.filter((span) => !spans.some(({ spanId }) => spanId === span.parentSpanId));

const attributesOf = ({ attributes }: ReceivedSpan): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

const COMMITTED = 'POST /pix/payments > commit';
const CONVERTED = `${COMMITTED} > callback transfer > commit`;
const expected = [
  'POST /pix/payments',
  COMMITTED,
  `${COMMITTED} > effect startConversion`,
  `${COMMITTED} > effect startConversion > provider createInternalTransfer`,
  `${COMMITTED} > callback transfer > provider getInternalTransfer`,
  `${CONVERTED} > effect startPayout`,
  `${CONVERTED} > effect startPayout > provider createPayout`,
  `${CONVERTED} > callback payout > provider getPayout`,
  `${CONVERTED} > callback payout > commit`,
];

test('a payment is one trace from its request to its completion, and the provider receives its context', async () => {
  const id = await pay(ada, await quote(ada, 25));
  await reaches(ada, id, 'completed');
  const traceId = traceIdOf(proxy.traceparents('createInternalTransfer').at(-1));
  expect(traceIdOf(proxy.traceparents('createPayout').at(-1))).toBe(traceId);
  const spans = await until(
    async () => spansOf(traceId),
    (seen) => expected.every((path) => pathsOf(seen).includes(path)) && rootsOf(seen).length === 1,
  );
  const [root] = rootsOf(spans) as [ReceivedSpan];
  expect(root.parentSpanId ?? '').toBe('');
  expect(attributesOf(root)).toMatchObject({
    'ponte.operation': 'createPixPayment',
    'http.route': '/pix/payments',
    'http.response.status_code': 201,
  });
  const named = (name: string) => attributesOf(spans.find((span) => span.name === name) as ReceivedSpan);
  expect(named('effect startConversion')).toMatchObject({
    'ponte.effect.attempt': 1,
    'ponte.effect.outcome': 'applied',
    'ponte.subject.id': id,
  });
  expect(named('provider createPayout')).toMatchObject({
    'ponte.provider.operation': 'createPayout',
    'http.response.status_code': 201,
  });
  // The span that made a call is the one whose context the provider received.
  const [, , callId] = proxy.traceparents('createPayout').at(-1)?.split('-') ?? [];
  expect(spans.find(({ spanId }) => spanId === callId)?.name).toBe('provider createPayout');
});

test('a payment whose callbacks are lost is completed by polls in its trace', async () => {
  const silent = { spoilt: { after: Promise.resolve() }, forwarded: true, silent: true } as const;
  const transfer = proxy.spoil({ operation: 'createInternalTransfer', ...silent });
  const payment = await pay(ada, await quote(ada, 26));
  await until(
    async () => {
      await makePollsDue(world, 'subject_kind', 'pix_payment');
      return (await ada.ponte.payment(payment)).status;
    },
    (status) => status === 'completed',
  );
  transfer.heal();
  const traceId = traceIdOf(proxy.traceparents('createInternalTransfer').at(-1));
  const polled = `${COMMITTED} > poll transfer`;
  const spans = await until(
    async () => spansOf(traceId),
    (seen) => pathsOf(seen).includes(`${polled} > commit`) && rootsOf(seen).length === 1,
  );
  expect(pathsOf(spans)).toContain(`${polled} > provider getInternalTransfer`);
  expect(pathsOf(spans)).not.toContain(`${COMMITTED} > callback transfer`);
});

test('reports on accounts begin traces of their own, so the trace of a registration ends', async () => {
  const rows = await byTable(world.service.app.db)
    .selectFrom('provider_resources')
    .select(['kind', 'traceparent'])
    .where('user_id', '=', ada.userId)
    .execute();
  const stored = (kind: string) => rows.filter((row) => row.kind === kind).map((row) => row.traceparent);
  expect(stored('account').length).toBeGreaterThan(0);
  expect(stored('account').every((traceparent) => traceparent === null)).toBe(true);
  expect(stored('payout').every((traceparent) => traceparent !== null)).toBe(true);
  await until(
    async () => collector.spans().filter(({ name }) => name === 'callback movement'),
    (spans) => spans.length > 0 && spans.every(({ parentSpanId = '' }) => parentSpanId === ''),
  );
});

test('concurrent payments of several people have one trace each', async () => {
  const bob = await verified(world, { deposit: '500.00' });
  const people = [ada, bob, ada, bob];
  const quotes = [];
  for (const person of people) quotes.push(await quote(person, 12));
  const ids = await Promise.all(quotes.map((quoted, nth) => pay(people[nth] as Person, quoted)));
  await Promise.all(ids.map((id, nth) => reaches(people[nth] as Person, id, 'completed')));
  const effects = await until(
    async () =>
      collector
        .spans()
        .filter(({ name }) => name === 'effect startConversion' || name === 'effect startPayout')
        .map((span) => ({ traceId: span.traceId, subject: String(attributesOf(span)['ponte.subject.id']) }))
        .filter(({ subject }) => ids.includes(subject)),
    (seen) => seen.length >= 2 * ids.length,
  );
  const traces = new Set(effects.map(({ traceId, subject }) => `${subject} ${traceId}`));
  expect(traces.size).toBe(ids.length);
  expect(new Set(effects.map(({ traceId }) => traceId)).size).toBe(ids.length);
});

const callers = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };

test('a request that has a trace context begins a trace with a link to it', async () => {
  const traceparent = `00-${callers.traceId}-${callers.spanId}-01`;
  await fetch(`${world.url}/health`, { headers: { traceparent } });
  const linked = await until(
    async () => collector.spans().filter(({ links = [] }) => links.length > 0),
    (spans) => spans.length > 0,
  );
  expect(linked.map(({ name }) => name)).toEqual(['GET /health']);
  expect(linked[0]?.links).toEqual([expect.objectContaining(callers)]);
  expect(spansOf(callers.traceId)).toEqual([]);
});

test('a trace context that is not valid is ignored', async () => {
  const contexts = ['', 'nonsense', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`, `00-${'a'.repeat(600)}-01`];
  for (const traceparent of contexts) {
    const { status } = await fetch(`${world.url}/nowhere`, { headers: { traceparent } });
    expect(status).toBe(404);
  }
  const spans = await until(
    async () => collector.spans().filter((span) => attributesOf(span)['http.response.status_code'] === 404),
    (seen) => seen.length >= contexts.length,
  );
  expect(spans.every(({ name, links = [] }) => name === 'GET' && links.length === 0)).toBe(true);
});
