// Spans are exported to a collector. A missing or failing collector disturbs nothing, and a process that stops exports its last spans.
import { afterEach, expect, test } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { type Collector, startCollector } from '../support/collector.ts';
import { capturedAt } from '../support/leak-watch.ts';
import { pay, quote, reaches, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { startWorld, type World } from '../support/world.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function start(env: NodeJS.ProcessEnv): Promise<{ world: World; proxy: UpstreamProxy }> {
  const { promise, resolve } = Promise.withResolvers<UpstreamProxy>();
  const world = await startWorld({
    env,
    upstream: async (sandboxUrl) => {
      const started = await startUpstreamProxy(sandboxUrl);
      ends.push(started.close);
      resolve(started);
      return started.url;
    },
  });
  ends.push(world.stop);
  return { world, proxy: await promise };
}

async function collecting(): Promise<Collector> {
  const collector = await startCollector();
  ends.push(collector.close);
  return collector;
}

const always = (endpoint: string): NodeJS.ProcessEnv => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_TRACES_SAMPLER: 'always_on',
});

async function payOnce(world: World): Promise<void> {
  const ada = await verified(world, { deposit: '100.00' });
  await reaches(ada, await pay(ada, await quote(ada, 20)), 'completed');
}

const lines = (code: string): number => capturedAt('the log').split(`"code":"${code}"`).length - 1;

test('a service without a collector sends no trace context and stores none', async () => {
  const { world, proxy } = await start({});
  await payOnce(world);
  expect(proxy.traceparents().length).toBeGreaterThan(0);
  expect(proxy.traceparents().every((traceparent) => traceparent === undefined)).toBe(true);
  const stored = await byTable(world.service.app.db).selectFrom('effects').select('traceparent').execute();
  expect(stored.length).toBeGreaterThan(0);
  expect(stored.every(({ traceparent }) => traceparent === null)).toBe(true);
});

test('a payment is completed while the collector cannot be reached, which is logged', async () => {
  const { world, proxy } = await start(always('http://127.0.0.1:9'));
  const before = lines('tracing.unexported');
  await payOnce(world);
  expect(proxy.traceparents('createPayout').every((traceparent) => traceparent?.endsWith('-01'))).toBe(true);
  await until(
    async () => lines('tracing.unexported') - before,
    (logged) => logged === 1,
  );
});

test('a collector that refuses every export is logged once, and so is its return', async () => {
  const collector = await collecting();
  collector.answer(400);
  const { world } = await start(always(collector.url));
  const before = { failed: lines('tracing.unexported'), recovered: lines('tracing.recovered') };
  const exported = (minExports: number) =>
    until(
      async () => {
        await fetch(`${world.url}/health`);
        return collector.exports();
      },
      (exports) => exports >= minExports,
    );
  await exported(3);
  expect(lines('tracing.unexported') - before.failed).toBe(1);
  collector.answer(200);
  await until(
    async () => {
      await fetch(`${world.url}/health`);
      return lines('tracing.recovered') - before.recovered;
    },
    (logged) => logged === 1,
  );
  expect(lines('tracing.unexported') - before.failed).toBe(1);
});

test('a service that stops exports its last spans', async () => {
  const collector = await collecting();
  const { world } = await start(always(collector.url));
  await fetch(`${world.url}/health`);
  await world.stop();
  ends.splice(ends.indexOf(world.stop), 1);
  expect(collector.spans().map(({ name }) => name)).toContain('GET /health');
});

test('a service stops although its collector never answers', async () => {
  const collector = await collecting();
  collector.answer(null);
  const { world } = await start(always(collector.url));
  await fetch(`${world.url}/health`);
  await world.stop();
  ends.splice(ends.indexOf(world.stop), 1);
  expect(collector.exports()).toBe(1);
});

test('a trace that is not sampled is not exported, and the provider receives its context', async () => {
  const collector = await collecting();
  const { world, proxy } = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  await payOnce(world);
  await world.stop();
  ends.splice(ends.indexOf(world.stop), 1);
  const contexts = proxy.traceparents();
  expect(contexts.every((traceparent) => traceparent?.endsWith('-00'))).toBe(true);
  expect(collector.exports()).toBe(0);
});

test('a service that trusts incoming traces continues them', async () => {
  const collector = await collecting();
  const { world } = await start({ ...always(collector.url), TRUST_INCOMING_TRACES: 'true' });
  const [traceId, spanId] = ['a'.repeat(32), 'b'.repeat(16)];
  await fetch(`${world.url}/health`, { headers: { traceparent: `00-${traceId}-${spanId}-01` } });
  await world.stop();
  ends.splice(ends.indexOf(world.stop), 1);
  const continued = collector.spans().filter((span) => span.traceId === traceId);
  expect(continued).toEqual([expect.objectContaining({ name: 'GET /health', parentSpanId: spanId })]);
});

const isAnswer = (line: string): boolean => line.includes('"code":"request.answered"');

test('a log line within a trace names the trace', async () => {
  const collector = await collecting();
  const { world } = await start({ ...always(collector.url), TRUST_INCOMING_TRACES: 'true' });
  const traceId = 'c'.repeat(32);
  const traceparent = `00-${traceId}-${'d'.repeat(16)}-01`;
  await fetch(`${world.url}/me`, { headers: { traceparent, authorization: 'Bearer wrong' } });
  const logged = await until(
    async () =>
      capturedAt('the log')
        .split('\n')
        .filter((line) => line.includes(`"traceId":"${traceId}"`)),
    (found) => found.some(isAnswer),
  );
  expect(logged.find(isAnswer)).toContain('"status":401');
});
