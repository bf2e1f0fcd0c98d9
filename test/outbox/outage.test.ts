// The database fails and returns: all connections are cut together, and the server stops and starts again. The API answers that it
// is unavailable for the moment, and everything continues without intervention.
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../harness/database/embedded-database.ts';
import { freePort } from '../../harness/processes/free-port.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { PonteError } from '../../packages/client/src/index.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm } from '../../src/tables/orm.ts';
import { migrate } from '../../src/tables/schema/schema.ts';
import { outboxEmpties } from '../support/outbox.ts';
import { must, type Person, pay, postJson, quote, reaches, refusalIn, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { accountRefOf, payoutsOf, transfersOf } from '../support/upstream.ts';
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { startWorld, type World } from '../support/world.ts';

const PROVIDER_TIMEOUT_MS = 1_500;

let folder: string;
let port: number;
let server: EmbeddedDatabase;
let world: World;
let proxy: UpstreamProxy;
let ada: Person;

// This file has its own server, because it stops the server.
const startServer = () => startEmbeddedDatabase({ folder, port, keep: true });

beforeAll(async () => {
  folder = temporaryFolder('outage');
  port = await freePort();
  server = await startServer();
  const pool = createPool(server.url, 2, noDeadlines);
  const orm = await createOrm(pool);
  await migrate(orm);
  await orm.close(true);
  world = await startWorld({
    env: { DATABASE_URL: server.url, PROVIDER_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS) },
    upstream: async (sandboxUrl) => {
      proxy = await startUpstreamProxy(sandboxUrl);
      return proxy.url;
    },
  });
  ada = await verified(world, { deposit: '1000.00' });
});
afterAll(async () => {
  await world.stop();
  await proxy.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

test('each payment is made once while every connection is cut again and again', async () => {
  const ids: string[] = [];
  const admin = createPool(server.url, 1);
  for (let round = 0; round < 5; round += 1) {
    const quoted = await untilAvailable(() => quote(ada, 10));
    ids.push(await untilAvailable(() => pay(ada, quoted)));
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'ponte' and pid <> pg_backend_pid()`,
    );
  }
  await admin.end();
  expect(await endings(ids)).toEqual(ids.map(() => once));
});

test('when the server stops and starts again, requests get 503 meanwhile and every payment completes afterwards', async () => {
  const about = await accountRefOf(world, ada.userId, 'GBP');
  const hanging = proxy.spoil({
    operation: 'createInternalTransfer',
    spoilt: 'drip',
    forwarded: true,
    about,
  });
  const id = await pay(ada, await quote(ada, 10));
  await until(
    async () => hanging.hits(),
    (hits) => hits === 1,
  );
  await server.stop();
  const answers = await Promise.all([
    ada.api.GET('/transactions'),
    ada.api.GET('/me'),
    ada.api.POST('/pix/quote', { body: { amountBrl: 10 } }),
  ]);
  expect(answers.map(refusalIn)).toEqual(answers.map(() => [503, 'unavailable']));
  expect(answers[0]?.response.headers.get('retry-after')).toBe('1');
  const callback = `${world.url}/webhooks/provider/${world.webhookSecret}`;
  await expect(postJson(callback, { event: 'card.frozen' })).rejects.toThrow('answered 503');
  expect((await fetch(`${world.url}/health`)).status).toBe(200);
  // The call times out while the database is down, so its outcome cannot be recorded.
  await pause(PROVIDER_TIMEOUT_MS);

  server = await startServer();
  expect(
    must(
      await until(
        () => ada.api.GET('/me'),
        ({ response }) => response.status === 200,
      ),
    ).user.id,
  ).toBe(ada.userId);
  const after = await pay(ada, await quote(ada, 10));
  expect(await endings([id, after])).toEqual([once, once]);
});

/** Repeats a call as an app does after a 503. */
async function untilAvailable<Answer extends object | string>(call: () => Promise<Answer>): Promise<Answer> {
  const answer = await until(
    () =>
      call().catch((error: unknown) =>
        error instanceof PonteError && error.status === 503 ? null : Promise.reject(error as Error),
      ),
    (reply) => reply !== null,
  );
  if (answer === null) throw new Error('never answered');
  return answer;
}

const once = { status: 'completed', transfers: 1, payouts: 1 };

/** Returns the final status of each payment and the number of its objects at the provider, once no work is left. */
async function endings(ids: string[]): Promise<(typeof once)[]> {
  const ends: (typeof once)[] = [];
  for (const id of ids) {
    const { status } = await until(
      () => reaches(ada, id, 'completed').catch(() => ({ status: 'unknown' })),
      (payment) => payment.status === 'completed',
    );
    const transfers = (await transfersOf(world, id)).length;
    ends.push({ status, transfers, payouts: (await payoutsOf(world, id)).length });
  }
  await outboxEmpties(world, 15_000);
  return ends;
}
