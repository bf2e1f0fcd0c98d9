// The service's database connections freeze: they stay open but transfer nothing more, while new connections work. Requests are
// answered again within 10 s. Callbacks are acknowledged and work runs within 15 s. The measured values are in docs/reliability.md.
// The bounds here are three times as long, because a test must not fail on a busy machine.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseProxy, startDatabaseProxy } from '../../harness/database-proxy/database-proxy.ts';
import { freePort } from '../../harness/processes/free-port.ts';
import { settledWithin } from '../../src/platform/concurrency/settled-within.ts';
import { byTable } from '../support/by-table.ts';
import { type Person, pay, quote, reaches, refusalIn, signUp, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { payoutsOf, transfersOf } from '../support/upstream.ts';
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { useDatabase } from '../support/use-database.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld, type World } from '../support/world.ts';

const REQUESTS_WITHIN_MS = 3 * 10_000;
const WORK_WITHIN_MS = 3 * 15_000;
/** Twice the time that a stop needs to end the work and then the connections. */
const STOPS_WITHIN_MS = 2 * 17_000;
/** More requests than the pools have connections, so that each connection has been used and is idle in its pool or at work. */
const MANY = 20;

const database = useDatabase();
let proxy: DatabaseProxy;
let upstream: UpstreamProxy;
/** An API and worker process that reaches the database through the proxy. */
let world: World;
/** Another API, whose connections never freeze. The worker of `world` must run the work that it accepts. */
let beside: World;
let ada: Person;
let bea: Person;

beforeAll(async () => {
  proxy = await startDatabaseProxy(database.url);
  world = await startWorld({
    env: { DATABASE_URL: proxy.url },
    upstream: async (sandboxUrl) => {
      upstream = await startUpstreamProxy(sandboxUrl);
      return upstream.url;
    },
  });
  const port = await freePort();
  const env = { ...world.env, ROLE: 'api', PORT: String(port), DATABASE_URL: database.url };
  const service = await startWatchedService(env, world.clock);
  beside = { ...world, url: `http://127.0.0.1:${port}`, service };
  ada = await signUp(world);
  bea = await verified(beside, { deposit: '1000.00' });
});
afterAll(async () => {
  await beside.service.stop();
  await world.stop();
  await upstream.close();
  await proxy.close();
});

test('an effect and a due poll run again after the connections of a worker freeze', async () => {
  await freeze();
  const [checks, id] = [upstream.count('getOwner'), await pay(bea, await quote(bea, 10))];
  await byTable(beside.service.app.db)
    .updateTable('provider_resources')
    .set({ next_poll_at: new Date() })
    .where('user_id', '=', bea.userId)
    .where('kind', '=', 'owner')
    .execute();
  await Promise.all([
    until(
      () => transfersOf(beside, id),
      (transfers) => transfers.length > 0,
      WORK_WITHIN_MS,
    ),
    until(
      async () => upstream.count('getOwner'),
      (count) => count > checks,
      WORK_WITHIN_MS,
    ),
  ]);
  await reaches(bea, id, 'completed');
  expect([await transfersOf(beside, id), await payoutsOf(beside, id)]).toMatchObject([[{}], [{}]]);
});

test('requests are answered and callbacks acknowledged again after the connections of an API freeze', async () => {
  await freeze();
  const seen = await Promise.all([
    untilFine(list, REQUESTS_WITHIN_MS),
    untilFine(sendCallback, WORK_WITHIN_MS),
  ]);
  // Until then the only refusal is that the service is temporarily unavailable.
  expect(new Set(seen.flat().map(String))).toEqual(new Set(['503,unavailable']));
  // From then on every request succeeds, so the pool has no frozen connection left.
  const answers = await Promise.all(Array.from({ length: MANY }, list));
  expect(answers).toEqual(answers.map(() => [200]));
});

test('a process stops without waiting for a frozen connection of its nightly jobs, whose statements may take a minute', async () => {
  const own = await startDatabaseProxy(database.url);
  const env = { ...world.env, ROLE: 'worker', DATABASE_URL: own.url };
  const connection = own.freezeAt('insert into job_runs', 'is lost');
  const worker = await startWatchedService(env, world.clock);
  await until(
    async () => connection.hasFrozen(),
    (hasFrozen) => hasFrozen,
  );
  expect(await settledWithin(STOPS_WITHIN_MS, worker.stop())).toBe(true);
  await own.close();
});

const list = async (): Promise<Answered> => {
  const answer = await ada.api.GET('/transactions');
  return [answer.response.status, ...codeIn(answer)];
};

/** Opens as many connections as the pools allow, then freezes them all. */
async function freeze(): Promise<void> {
  await Promise.all(Array.from({ length: MANY }, () => ada.api.GET('/transactions')));
  expect(proxy.freeze()).toBeGreaterThan(3);
}

const codeIn = (answer: Parameters<typeof refusalIn>[0]): string[] => {
  const [, code] = refusalIn(answer);
  return code === undefined ? [] : [code];
};

type Answered = (string | number)[];

/** Repeats a request as an app does after a 503. @returns the earlier answers. */
async function untilFine(ask: () => Promise<Answered>, withinMs: number): Promise<Answered[]> {
  const refused: Answered[] = [];
  await until(
    async () => {
      const answer = await ask();
      if (answer[0] !== 200) refused.push(answer);
      return answer;
    },
    ([status]) => status === 200,
    withinMs,
  );
  return refused;
}

async function sendCallback(): Promise<Answered> {
  const response = await fetch(`${world.url}/webhooks/provider/${world.webhookSecret}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ event: 'card.frozen', at: randomUUID() }),
  });
  const { code } = (await response.json()) as { code?: string };
  return [response.status, ...(code === undefined ? [] : [code])];
}
