// More payments are offered than the workers can run. New payments are refused before anything is reserved, and repeated requests
// of accepted payments are answered as before. New payments are accepted again once the waiting ones have begun.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { createOverload } from '../../src/outbox/overload.ts';
import { type PaymentWaits, readPaymentWaits } from '../../src/outbox/payment-waits.ts';
import { createTakenUntil } from '../../src/outbox/taken-until.ts';
import { createLog } from '../../src/start/log.ts';
import type { Service } from '../../src/start/start-service.ts';
import { byTable } from '../support/by-table.ts';
import { must, type Person, pay, quote, reaches, refusalIn, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld, type World } from '../support/world.ts';

const OVERLOADED = [503, 'overloaded'];

/** Takes a new quote. @returns a function that confirms it, each time with the same request. */
const confirmation = async (person: Person) => {
  const { quoteId } = await quote(person, 10);
  const body = { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } as const;
  return () => person.api.POST('/pix/payments', { body });
};

const NO_WAITS: PaymentWaits = { conversionMs: 0, payoutMs: 0, reportMs: 0, heldUp: [] };
const none = async () => 0;
const notAsked = () => Promise.reject(new Error('it was asked'));
const TEN = async () => 10;
const ELEVEN = async () => 11;

/** Waits until this many conversions are due without a lease, and sets their due time this many seconds back. */
async function conversionsAreDueFor({ service }: World, count: number, seconds: number): Promise<void> {
  const left = byTable(service.app.db)
    .updateTable('effects')
    .set({ due_at: sql<Date>`now() - make_interval(secs => ${seconds})` })
    .where('urgent_until', 'is not', null)
    .where('status', '=', 'queued')
    .where('leased_by', 'is', null);
  await until(
    () => left.executeTakeFirstOrThrow(),
    ({ numUpdatedRows }) => numUpdatedRows === BigInt(count),
  );
}

/** Waits until the overload check, which reads the waits periodically, sees an overload or its end. */
const untilOverload = ({ service }: World, isOverloaded: boolean): Promise<PaymentWaits> =>
  until(
    () => service.app.overload.waits(),
    (waits) =>
      isOverloaded
        ? waits.conversionMs > 600
        : Math.max(waits.conversionMs, waits.payoutMs, waits.reportMs) < 150,
  );

describe('payments whose conversions no worker begins', () => {
  /** This world serves HTTP only. */
  let world: World;
  let people: Person[];
  let metricsUrl: string;

  beforeAll(async () => {
    const port = await freePort();
    metricsUrl = `http://127.0.0.1:${port}/metrics`;
    world = await startWorld({ env: { ROLE: 'api', METRICS_PORT: String(port) } });
    const worker = await startWorker();
    people = await Promise.all(Array.from({ length: 4 }, () => verified(world, { deposit: '500.00' })));
    await worker.stop();
  });
  afterAll(() => world.stop());

  const startWorker = async (): Promise<Service> => {
    const { METRICS_PORT: _port, ...env } = world.env;
    const port = String(await freePort());
    return startWatchedService({ ...env, ROLE: 'worker', PORT: port }, world.clock);
  };
  const rowsOf = async ({ userId }: Person) => {
    const { rows } = await sql`
      select id from pix_payments where user_id = ${userId}
      union all select id from effects where user_id = ${userId} and type = 'startConversion'
      union all select id from transactions where user_id = ${userId} and type = 'payment'
    `.execute(world.service.app.db);
    return rows;
  };

  test('accepted payments are answered as before while new ones are refused and create nothing, until the wait is short again', async () => {
    const [ada, bea, cleo, dan] = people as [Person, Person, Person, Person];
    const confirmations = await Promise.all([ada, bea, cleo].map(confirmation));
    const accepted = await Promise.all(confirmations.map((confirm) => confirm()));
    expect(accepted.map(({ response }) => response.status)).toEqual([201, 201, 201]);
    const late = await confirmation(dan);

    await conversionsAreDueFor(world, 3, 6);
    await untilOverload(world, true);
    const refused = await late();
    expect(refusalIn(refused)).toEqual(OVERLOADED);
    expect(refused.response.headers.get('retry-after')).toBe('5');
    expect(await rowsOf(dan)).toEqual([]);
    for (const [nth, confirm] of confirmations.entries()) {
      const again = await confirm();
      expect(again.response.status).toBe(200);
      expect(must(again).pixPaymentId).toBe(must(accepted[nth] ?? again).pixPaymentId);
    }
    const text = await (await fetch(metricsUrl)).text();
    expect(text).toMatch(/^ponte_overload_refusals_total 1$/m);
    expect(text).toMatch(/^ponte_payment_wait_seconds\{for="conversion"\} \d/m);

    // Work that is due later does not count as waiting.
    await conversionsAreDueFor(world, 3, -3_600);
    await untilOverload(world, false);
    const later = await late();
    expect(later.response.status).toBe(201);

    await conversionsAreDueFor(world, 4, 0);
    const worker = await startWorker();
    for (const [nth, person] of [ada, bea, cleo].entries())
      await reaches(person, must(accepted[nth] ?? later).pixPaymentId, 'completed');
    await reaches(dan, must(later).pixPaymentId, 'completed');
    await worker.stop();
  });

  test('a user with more than ten unfinished payments gets 429, nothing is created, and the quote stays usable', async () => {
    const [ada, ...others] = people as [Person, Person, Person, Person];
    const confirmations = [];
    for (let nth = 0; nth < 11; nth += 1) confirmations.push(await confirmation(ada));
    const accepted = [];
    for (const confirm of confirmations) accepted.push(must(await confirm()).pixPaymentId);
    for (const person of others) await pay(person, await quote(person, 10));
    const late = await confirmation(ada);
    const before = await rowsOf(ada);

    await conversionsAreDueFor(world, 14, 6);
    await untilOverload(world, true);
    const refused = await late();
    expect(refusalIn(refused)).toEqual([429, 'too_many_unfinished']);
    expect(refused.response.headers.get('retry-after')).toBe('5');
    expect(await rowsOf(ada)).toEqual(before);
    for (const [nth, confirm] of confirmations.entries())
      expect(must(await confirm()).pixPaymentId).toBe(accepted[nth]);

    const worker = await startWorker();
    for (const id of accepted) await reaches(ada, id, 'completed');
    await untilOverload(world, false);
    await reaches(ada, must(await late()).pixPaymentId, 'completed');
    await worker.stop();
  });
});

describe('payments whose conversions wait for a process without a free slot', () => {
  /** This world does everything, one piece of work at a time. */
  let world: World;
  let proxy: UpstreamProxy;
  let people: Person[];

  beforeAll(async () => {
    const started = Promise.withResolvers<UpstreamProxy>();
    world = await startWorld({
      env: { WORKER_CONCURRENCY: '1', PROVIDER_TIMEOUT_MS: '110000' },
      upstream: async (sandboxUrl) => {
        started.resolve(await startUpstreamProxy(sandboxUrl));
        return (await started.promise).url;
      },
    });
    proxy = await started.promise;
    people = await Promise.all(Array.from({ length: 5 }, () => verified(world, { deposit: '500.00' })));
  });
  afterAll(async () => {
    await world.stop();
    await proxy.close();
  });

  test('a process whose slot is taken refuses new payments when three users wait, but not for the many payments of one user, and accepts them again', async () => {
    const [ada, bea, cleo, dan, eve] = people as [Person, Person, Person, Person, Person];
    const { promise: answered, resolve: letAnswer } = Promise.withResolvers<void>();
    const slow = proxy.spoil({
      operation: 'createInternalTransfer',
      spoilt: { after: answered },
      forwarded: true,
      times: 1,
    });
    const first = await pay(ada, await quote(ada, 10));
    await until(
      async () => slow.hits(),
      (hits) => hits === 1,
    );
    const ofBea: string[] = [];
    for (let payments = 0; payments < 6; payments += 1) ofBea.push(await pay(bea, await quote(bea, 10)));
    const others = [await pay(cleo, await quote(cleo, 10)), await pay(dan, await quote(dan, 10))];
    // The process releases the conversions behind the stuck call after a while. None of bea's conversions counts, because she
    // exceeds her share.
    await conversionsAreDueFor(world, 8, 6);
    const { db, outbox } = world.service.app;
    expect((await readPaymentWaits(db, outbox, createTakenUntil())).conversionMs).toBe(0);
    const ofEve = await pay(eve, await quote(eve, 10));
    await conversionsAreDueFor(world, 9, 6);
    await untilOverload(world, true);
    // The slot is taken by a call to the provider, so the answer says that the provider is the reason.
    const refused = await until(await confirmation(ada), (answer) => refusalIn(answer)[0] === 502);
    expect(refusalIn(refused)).toEqual([502, 'provider_unavailable']);

    letAnswer();
    await reaches(ada, first, 'completed');
    for (const id of ofBea) await reaches(bea, id, 'completed');
    await reaches(cleo, others[0] ?? '', 'completed');
    await reaches(dan, others[1] ?? '', 'completed');
    await reaches(eve, ofEve, 'completed');
    await reaches(ada, await pay(ada, await quote(ada, 10)), 'completed');
  });
});

const silent = createLog('info', { write: () => undefined });

const withWaits = (waits: Partial<PaymentWaits>) =>
  createOverload({
    read: async () => ({ ...NO_WAITS, ...waits }),
    refused: () => undefined,
    log: silent,
  });

test.each([
  ['conversions wait for a short time', { conversionMs: 300 }, ELEVEN, null],
  ['conversions wait and the user has many payments', { conversionMs: 301 }, ELEVEN, 'too_many_unfinished'],
  ['payouts wait and the user has many payments', { payoutMs: 301 }, ELEVEN, 'too_many_unfinished'],
  ['reports wait and the user has many payments', { reportMs: 301 }, ELEVEN, 'too_many_unfinished'],
  ['reports wait and the user has ten payments', { reportMs: 600 }, TEN, null],
  ['conversions wait for too long', { conversionMs: 601 }, none, 'overloaded'],
  ['payouts wait for too long', { payoutMs: 601 }, none, 'overloaded'],
  ['reports wait for too long', { reportMs: 601 }, none, 'overloaded'],
  [
    'reports wait for very long and the user has many payments',
    { reportMs: 9_000 },
    ELEVEN,
    'too_many_unfinished',
  ],
])('the overload check answers a new payment as expected when %s', async (_what, waits, unfinished, code) => {
  const answer = await withWaits(waits)
    .assertAccepts(unfinished)
    .catch((error: { code: string }) => error.code);
  expect(answer ?? null).toBe(code);
});

test('the overload check does not read the unfinished payments of a user while nothing waits', async () => {
  await expect(withWaits({ conversionMs: 200 }).assertAccepts(notAsked)).resolves.toBeUndefined();
});

test('an overload is read once for many payments, counts each refusal, ends well below its limits and is logged', async () => {
  const codes: string[] = [];
  const log = createLog('info', { write: (line) => void codes.push(JSON.parse(line).code as string) });
  let present: PaymentWaits = { ...NO_WAITS, conversionMs: 6_000 };
  let readings = 0;
  let refused = 0;
  const overload = createOverload({
    read: async () => {
      readings += 1;
      return present;
    },
    refused: () => {
      refused += 1;
    },
    log,
  });
  const payments = Array.from({ length: 50 }, () => overload.assertAccepts(none));
  const outcomes = await Promise.allSettled(payments);
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  expect([readings, refused]).toEqual([1, 50]);
  const reads = async (conversionMs: number): Promise<void> => {
    present = { ...NO_WAITS, conversionMs };
    await until(
      () => overload.waits(),
      (waits) => waits.conversionMs === conversionMs,
    );
  };
  // This is below the limit at which an overload begins and above the limit at which it ends.
  await reads(400);
  await expect(overload.assertAccepts(none)).rejects.toMatchObject({ code: 'overloaded' });
  await reads(200);
  await overload.assertAccepts(none);
  await expect(overload.assertAccepts(ELEVEN)).rejects.toMatchObject({ code: 'too_many_unfinished' });
  await reads(0);
  await overload.assertAccepts(ELEVEN);
  expect(codes).toEqual(['overload.began', 'overload.refuses_all', 'overload.ended']);
});
