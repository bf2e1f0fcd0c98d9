// GET /ready as a load balancer sees it: 200 while the process can do its work, and 503 with the reasons while it cannot.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseProxy, startDatabaseProxy } from '../../harness/database-proxy/database-proxy.ts';
import { freePort } from '../../harness/processes/free-port.ts';
import { createReadiness } from '../../src/metrics/readiness.ts';
import { call } from '../support/http.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';
import { startWorld, type World } from '../support/world.ts';

const PATIENCE_MS = 60_000;

const database = useDatabase();
let way: DatabaseProxy;
let world: World;
let metricsUrl: string;

beforeAll(async () => {
  way = await startDatabaseProxy(database.url);
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}`;
  world = await startWorld({ env: { METRICS_PORT: String(port), DATABASE_URL: way.url } });
});
afterAll(async () => {
  await world.stop();
  await way.close();
});

const ask = async (): Promise<[number, unknown]> => {
  const response = await fetch(`${metricsUrl}/ready`);
  return [response.status, await response.json()];
};
const becomes = (status: number, before: () => void = () => undefined): Promise<[number, unknown]> =>
  until(
    () => {
      before();
      return ask();
    },
    ([seen]) => seen === status,
    PATIENCE_MS,
  );

test(
  'a process whose database does not answer is alive but not ready, and becomes ready again by itself',
  async () => {
    expect(await becomes(200)).toEqual([200, { status: 'ready' }]);
    const [, body] = await becomes(503, way.freeze);
    expect(body).toMatchObject({
      status: 'unready',
      faults: expect.arrayContaining(['database']) as unknown,
    });
    expect((await call(world, 'GET', '/health')).body).toEqual({ status: 'ok' });
    const health = await fetch(`${metricsUrl}/health`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
    await becomes(200);
  },
  3 * PATIENCE_MS,
);

type Ages = { heartbeatMs: number; progressMs: number };
const unready = (ages: Ages | null) => createReadiness(world.service.app, ages && (() => ages)).unready();

test.each<[string, Ages, string[]]>([
  ['with a recent heartbeat and claim', { heartbeatMs: 1_000, progressMs: 1_000 }, []],
  ['without any heartbeat', { heartbeatMs: Infinity, progressMs: 0 }, ['heartbeat']],
  ['whose heartbeat is 10 s old', { heartbeatMs: 10_000, progressMs: 0 }, []],
  ['whose heartbeat is older than 10 s', { heartbeatMs: 10_001, progressMs: 0 }, ['heartbeat']],
  ['that has claimed no work for a minute', { heartbeatMs: 0, progressMs: 60_000 }, []],
  ['that has claimed no work for more than a minute', { heartbeatMs: 0, progressMs: 60_001 }, ['engine']],
  ['that is stuck', { heartbeatMs: 60_001, progressMs: 60_001 }, ['heartbeat', 'engine']],
])('a process %s reports the expected faults', async (_what, ages, faults) => {
  expect(await unready(ages)).toEqual(faults);
});

test('a process that runs no work reports none of these faults', async () => {
  expect(await unready(null)).toEqual([]);
});

test('a process is not ready once it has been asked to stop', async () => {
  const readiness = createReadiness(world.service.app, null);
  readiness.stop();
  expect(await readiness.unready()).toEqual(['stopping']);
});
