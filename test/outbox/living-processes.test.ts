// Processes that are alive but cannot always write their heartbeat keep their work, and nothing runs twice.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type DatabaseProxy,
  HEARTBEAT,
  startDatabaseProxy,
} from '../../harness/database-proxy/database-proxy.ts';
import { byTable } from '../support/by-table.ts';
import { leasedIn } from '../support/outbox.ts';
import { type Person, verified } from '../support/person.ts';
import { killProcesses, type ServiceProcess } from '../support/process.ts';
import type { UpstreamProxy } from '../support/upstream-proxy.ts';
import { useDatabase } from '../support/use-database.ts';
import type { World } from '../support/world.ts';
import { hangingPayment } from './payments.ts';
import { allBeat, logged, type ProcessRow, processesIn, rowOf, startWorker } from './processes.ts';
import { startWithoutWorkers } from './without-workers.ts';

const DEAD_AFTER_SECONDS = 5;
/** The heartbeat beats once a second. After this many beats, a process has had time to declare another one dead twice. */
const BEATS = 2 * DEAD_AFTER_SECONDS;
const WITHIN_MS = 240_000;

const database = useDatabase();
let databaseProxy: DatabaseProxy;
let world: World;
let proxy: UpstreamProxy;
let stop: () => Promise<void>;

// The world's own process connects to the database without the proxy.
beforeAll(async () => {
  databaseProxy = await startDatabaseProxy(database.url);
  ({ world, proxy, stop } = await startWithoutWorkers({
    DATABASE_URL: database.url,
    PROCESS_DEAD_AFTER_SECONDS: String(DEAD_AFTER_SECONDS),
  }));
});
afterEach(async () => {
  await killProcesses();
  await byTable(world.service.app.db).deleteFrom('processes').execute();
});
afterAll(async () => {
  await stop();
  await databaseProxy.close();
});

const startProxiedWorker = () => startWorker(world, { DATABASE_URL: databaseProxy.url });

const payer = (): Promise<Person> => verified(world, { deposit: '500.00' });

const idsOf = (rows: ProcessRow[]) => rows.map(({ id }) => id);

const takeovers = (services: ServiceProcess[]): number[] =>
  services.map((one) => logged(one, 'outbox.peer_dead') + logged(one, 'outbox.replaced'));

test(
  'a process whose heartbeat connection is cut again and again keeps its work',
  async () => {
    const living = await startProxiedWorker();
    const { hits, work } = await hangingPayment(await payer(), proxy);
    const other = await startWorker(world);
    const rows = [await rowOf(world, living), await rowOf(world, other)];
    let isOver = false;
    const long = allBeat(world, rows.slice(1), BEATS).finally(() => {
      isOver = true;
    });
    // Cut the connection each time after the process has written one more heartbeat.
    for (let cuts = 0; !isOver; cuts += 1) {
      const row = (await processesIn(world)).find(({ id }) => id === rows[0]?.id);
      expect(row).toBeDefined();
      if (row) await allBeat(world, [row], 1);
      expect(databaseProxy.cut(HEARTBEAT)).toBe(1);
      expect(cuts).toBeLessThan(1_000);
    }
    await long;
    expect(await leasedIn(world)).toEqual([work]);
    expect(hits()).toBe(1);
    expect(takeovers([living, other])).toEqual([0, 0]);
    expect(idsOf(await processesIn(world)).toSorted()).toEqual(idsOf(rows).toSorted());
  },
  WITHIN_MS,
);

test(
  'every process keeps its work while the database is frozen for longer than the death timeout',
  async () => {
    const services = await Promise.all([startProxiedWorker(), startProxiedWorker(), startProxiedWorker()]);
    const rows = await Promise.all(services.map((service) => rowOf(world, service)));
    const payments = [];
    for (let nth = 0; nth < 4; nth += 1) payments.push(await hangingPayment(await payer(), proxy));
    const held = payments.map(({ work }) => work);
    expect(held.every(({ leasedBy }) => idsOf(rows).includes(leasedBy ?? ''))).toBe(true);

    const stalled = databaseProxy.stall();
    await pause(2 * DEAD_AFTER_SECONDS * 1_000);
    stalled.goOn();
    await allBeat(world, await processesIn(world), BEATS);
    expect(idsOf(await processesIn(world)).toSorted()).toEqual(idsOf(rows).toSorted());
    expect(await leasedIn(world)).toEqual(expect.arrayContaining(held));
    expect(payments.map(({ hits }) => hits())).toEqual([1, 1, 1, 1]);
    expect(takeovers(services)).toEqual([0, 0, 0]);
  },
  WITHIN_MS,
);
