// The database takes 100 ms longer for each statement, so locks last for seconds and every queue is long. Accepted work still
// reaches its final state, and the only refusal that a request gets is 503 `unavailable`.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseProxy, startDatabaseProxy } from '../../harness/database-proxy/database-proxy.ts';
import type { Service } from '../../src/start/start-service.ts';
import { gbp } from '../support/bank-details.ts';
import { outboxEmpties } from '../support/outbox.ts';
import { must, type Person, refusalIn, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { movementsOf, payoutsOf } from '../support/upstream.ts';
import { useDatabase } from '../support/use-database.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld, type World } from '../support/world.ts';
import { completes, completesOnce } from './payments.ts';
import { processesIn } from './processes.ts';

const SLOWER_MS = 100;
const PAYMENTS_OF_EACH = 4;
const DEPOSIT = '500.00';
const WITHDRAWN_MINOR = 1_000;
/** Long enough for slow statements on a busy machine. */
const WITHIN_MS = 150_000;

const database = useDatabase();
let proxy: DatabaseProxy;
let world: World;
/** A second process next to the world's own, which is equally slow. */
let worker: Service;
let people: [Person, ...Person[]];
let slow: ReturnType<DatabaseProxy['slowDown']>;

beforeAll(async () => {
  proxy = await startDatabaseProxy(database.url);
  world = await startWorld({ env: { DATABASE_URL: proxy.url, PROCESS_DEAD_AFTER_SECONDS: '5' } });
  worker = await startWatchedService({ ...world.env, ROLE: 'worker' }, world.clock);
  const payer = () => verified(world, { deposit: DEPOSIT });
  people = await Promise.all([payer(), payer(), payer()]);
  for (const { api } of people) {
    must(await api.POST('/bank-details', { body: gbp }));
  }
  slow = proxy.slowDown(SLOWER_MS);
});
afterAll(async () => {
  slow.goOn();
  await worker.stop();
  await world.stop();
  await proxy.close();
});

test(
  'concurrent payments and withdrawals of several users are each made once over a slow database, and none is lost',
  async () => {
    const before = await processesIn(world);
    expect(before).toHaveLength(2);
    const slowedBefore = slow.statements();
    must(await untilAvailable(() => people[0].api.GET('/me')));
    expect(slow.statements()).toBeGreaterThan(slowedBefore);
    const made = await Promise.all(
      people.map(async (person) => {
        const payments = Promise.all(
          Array.from({ length: PAYMENTS_OF_EACH }, () => payWhenAvailable(person)),
        );
        return { person, ids: await payments, withdrawal: await withdrawWhenAvailable(person) };
      }),
    );
    for (const { person, ids, withdrawal } of made) {
      for (const id of ids) await completesOnce(world, id, WITHIN_MS);
      await until(
        async () => must(await untilAvailable(() => person.api.GET('/withdraws'))),
        (all) => all.every(({ status }) => status === 'completed'),
        WITHIN_MS,
      );
      expect(await payoutsOf(world, withdrawal, 'withdraw')).toHaveLength(1);
      // No other debit exists, and no debit is doubled.
      const debits = (await movementsOf(person, 'GBP')).filter((movement) => movement.startsWith('DEBIT'));
      expect(debits).toHaveLength(ids.length + 1);
      expect(must(await untilAvailable(() => person.api.GET('/pix/payments')))).toHaveLength(ids.length);
    }
    await outboxEmpties(world, WITHIN_MS);
    // Both processes kept their heartbeats, and so their leases, all the time.
    expect((await processesIn(world)).map(({ id }) => id)).toEqual(before.map(({ id }) => id));

    slow.goOn();
    await completes(world, await payWhenAvailable(people[0]), WITHIN_MS);
  },
  3 * WITHIN_MS,
);

async function payWhenAvailable({ api }: Person): Promise<string> {
  const { quoteId } = must(await untilAvailable(() => api.POST('/pix/quote', { body: { amountBrl: 10 } })));
  const body = { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } as const;
  return must(await untilAvailable(() => api.POST('/pix/payments', { body }))).pixPaymentId;
}

async function withdrawWhenAvailable({ api }: Person): Promise<string> {
  const header = { 'Idempotency-Key': randomUUID() };
  const body = { amount: WITHDRAWN_MINOR };
  return must(await untilAvailable(() => api.POST('/withdraws', { body, params: { header } }))).id;
}

/** Repeats a request as an app does after a 503. Any other refusal fails the test. */
const untilAvailable = <Answer extends { response: Response; error?: unknown }>(ask: () => Promise<Answer>) =>
  until(
    async () => {
      const answer = await ask();
      if (!answer.response.ok) expect(refusalIn(answer)).toEqual([503, 'unavailable']);
      return answer;
    },
    ({ response }) => response.ok,
    WITHIN_MS,
  );
