// The connection freezes at the COMMIT of a payment or a withdrawal, so it is unknown whether it was committed. The service
// decides again under the same lock: it finds the existing one or makes it. If that COMMIT also freezes, the answer is 503,
// never 502, and repeating the request does the same. There is never a second one.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  COMMIT,
  type DatabaseProxy,
  type Fate,
  startDatabaseProxy,
} from '../../harness/database-proxy/database-proxy.ts';
import { freePort } from '../../harness/processes/free-port.ts';
import type { Service } from '../../src/start/start-service.ts';
import { gbp } from '../support/bank-details.ts';
import { must, type Person, quote, reaches, refusalIn, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { payoutsOf, transfersOf } from '../support/upstream.ts';
import { useDatabase } from '../support/use-database.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld, type World } from '../support/world.ts';

const database = useDatabase();
let proxy: DatabaseProxy;
/** An API without a worker, so that the next COMMIT is the one that a test causes. */
let world: World;
let worker: Service;
let ada: Person;

beforeAll(async () => {
  proxy = await startDatabaseProxy(database.url);
  world = await startWorld({ env: { ROLE: 'api', DATABASE_URL: proxy.url } });
  const env = { ...world.env, ROLE: 'worker', PORT: String(await freePort()), DATABASE_URL: database.url };
  worker = await startWatchedService(env, world.clock);
  ada = await verified(world, { deposit: '1000.00' });
  must(await ada.api.POST('/bank-details', { body: gbp }));
});
afterAll(async () => {
  await worker.stop();
  await world.stop();
  await proxy.close();
});

const fates: [string, Fate, number][] = [
  ['arrives, and its answer is lost', 'arrives', 200],
  ['is lost itself', 'is lost', 201],
];

describe.each(fates)('a COMMIT that %s', (_what, fate, again) => {
  test('a payment whose COMMIT and repetition freeze is answered with 503, and the same quote again is one payment', async () => {
    const amountBrl = fate === 'arrives' ? 11 : 12;
    const { quoteId } = await quote(ada, amountBrl);
    const body = { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } as const;
    const confirm = () => ada.api.POST('/pix/payments', { body });
    const commit = proxy.freezeAt(COMMIT, fate, 2);
    expect(refusalIn(await confirm())).toEqual([503, 'unavailable']);
    expect(commit.hasFrozen()).toBe(true);

    const repeated = await untilAvailable(confirm);
    expect(repeated.response.status).toBe(again);
    const { pixPaymentId } = must(repeated);
    expect(must(await confirm()).pixPaymentId).toBe(pixPaymentId);
    await reaches(ada, pixPaymentId, 'completed');
    expect(await transfersOf(world, pixPaymentId)).toHaveLength(1);
    expect(await payoutsOf(world, pixPaymentId)).toHaveLength(1);
    const all = must(await ada.api.GET('/pix/payments'));
    expect(all.filter((one) => one.amountBrl === amountBrl.toFixed(2))).toMatchObject([{ id: pixPaymentId }]);
  });

  test('a withdrawal whose COMMIT freezes is answered, and is one withdrawal', async () => {
    const amount = fate === 'arrives' ? 1_100 : 1_200;
    const header = { 'Idempotency-Key': randomUUID() };
    const withdraw = () => ada.api.POST('/withdraws', { body: { amount }, params: { header } });
    const commit = proxy.freezeAt(COMMIT, fate);
    const answer = await withdraw();
    expect(commit.hasFrozen()).toBe(true);
    expect(answer.response.status).toBe(again);
    const { id } = must(answer);
    expect(must(await withdraw()).id).toBe(id);
    const made = async () =>
      must(await ada.api.GET('/withdraws')).filter(({ sourceAmount }) => sourceAmount === amount);
    const isCompleted = (all: Awaited<ReturnType<typeof made>>) =>
      all.every(({ status }) => status === 'completed');
    expect(await until(made, isCompleted)).toMatchObject([{ id }]);
    expect(await payoutsOf(world, id, 'withdraw')).toHaveLength(1);
  });
});

/** Repeats a request while it is answered with 503, as an app does. */
const untilAvailable = <Answer extends { response: Response }>(ask: () => Promise<Answer>) =>
  until(ask, ({ response }) => response.status !== 503);
