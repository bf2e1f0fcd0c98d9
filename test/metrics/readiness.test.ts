// GET /ready as a load balancer sees it: 200 while the process can do its work, 503 with the reasons while it cannot.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/embedded-database.ts';
import { createReadiness } from '../../src/metrics/readiness.ts';
import { createVitals, type Vitals } from '../../src/worker/vitals.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts';
import { call } from '../support/http.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

const PATIENCE_MS = 60_000;

let database: TestDatabase;
let way: DatabaseProxy;
let world: World;
let metricsUrl: string;

beforeAll(async () => {
  database = await createTestDatabase();
  way = await startDatabaseProxy(database.url);
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}`;
  world = await startWorld({ env: { METRICS_PORT: String(port), DATABASE_URL: way.url } });
});
afterAll(async () => {
  await world.stop();
  await way.close();
  await database.drop();
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

it(
  'a process whose database is silent is alive and not ready, and ready again by itself',
  async () => {
    expect(await becomes(200)).toEqual([200, { status: 'ready' }]);
    const [, body] = await becomes(503, way.freeze);
    expect(body).toMatchObject({
      status: 'unready',
      faults: expect.arrayContaining(['database']) as unknown,
    });
    expect((await call(world, 'GET', '/health')).body).toEqual({ status: 'ok' });
    await becomes(200);
  },
  3 * PATIENCE_MS,
);

const unready = (vitals: Vitals | null) => createReadiness(world.service.app, vitals).unready();

describe('what stands in the way', () => {
  let nowMs = 0;

  it('a worker that was never seen, and later was not seen for long', async () => {
    const vitals = createVitals(() => nowMs);
    expect(await unready(vitals)).toEqual(['heartbeat', 'engine']);
    vitals.beat();
    vitals.progress();
    expect(await unready(vitals)).toEqual([]);
    nowMs += 10_001;
    expect(await unready(vitals)).toEqual(['heartbeat']);
    vitals.beat();
    nowMs += 49_999;
    vitals.beat();
    expect(await unready(vitals)).toEqual([]);
    nowMs += 1;
    expect(await unready(vitals)).toEqual(['engine']);
  });

  it('nothing of the kind where there is no worker', async () => {
    expect(await unready(null)).toEqual([]);
  });

  it('that the process is about to end', async () => {
    const readiness = createReadiness(world.service.app, null);
    readiness.stop();
    expect(await readiness.unready()).toEqual(['stopping']);
  });
});
