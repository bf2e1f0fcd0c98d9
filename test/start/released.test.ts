// A service that stops releases its resources of the system and of the database, even if the process continues without it.
import { beforeAll, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { reconcile } from '../../src/jobs/reconcile-by-hand.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { call } from '../support/http.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';
import { startWatchedService } from '../support/watched-service.ts';

// Only the sandbox keeps running, so the process holds no resource of the service.
const { world } = useWorld();
beforeAll(async () => {
  await world.service.stop();
});

/** The number of listeners, sockets and timers that keep this process alive, by kind. */
function countResources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

const close = { headers: { connection: 'close' } };

test('a service that stops releases its listeners, connections and timers', async () => {
  const owner = createPool(world.databaseUrl, 1);
  const countSessions = async (): Promise<number> => {
    const { rows } = await owner.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
    return rows[0]?.count ?? Number.NaN;
  };
  await until(countSessions, (count) => count === 0);
  const before = countResources();

  const [port, metricsPort] = [await freePort(), await freePort()];
  const service = await startWatchedService(
    { ...world.env, PORT: String(port), METRICS_PORT: String(metricsPort) },
    world.clock,
  );
  const url = `http://127.0.0.1:${port}`;
  expect((await call({ url }, 'GET', '/health', close)).status).toBe(200);
  expect((await call({ url }, 'GET', '/me', { ...close, token: 'x' })).status).toBe(401);
  await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`, close)).text();
  // This calls the provider over connections that the client keeps open.
  await reconcile({ ...service.app, db: service.app.batchDb });
  const during = countResources();
  expect(during['TCPServerWrap']).toBe((before['TCPServerWrap'] ?? 0) + 2);
  expect(during['TCPSocketWrap']).toBeGreaterThan(before['TCPSocketWrap'] ?? 0);
  expect(during['Timeout']).toBeGreaterThan(before['Timeout'] ?? 0);
  expect(await countSessions()).toBeGreaterThan(0);

  await service.stop();
  await until(
    async () => Object.entries(countResources()).filter(([kind, count]) => count > (before[kind] ?? 0)),
    (kept) => kept.length === 0,
  );
  await until(countSessions, (count) => count === 0);
  await owner.end();
});
