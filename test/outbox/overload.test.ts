// More payments are offered than are carried out: new ones are refused before anything is reserved, what was accepted is answered
// as before, and new ones are accepted again when those that wait have been begun.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { createLog } from '../../src/logging/log.ts';
import { createOverload } from '../../src/outbox/overload.ts';
import { type PaymentWaits, readPaymentWaits } from '../../src/outbox/payment-waits.ts';
import type { Service } from '../../src/start/start-service.ts';
import { must, type Person, pay, quote, reaches, refusalIn, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld, type World } from '../support/world.ts';

const OVERLOADED = [503, 'overloaded'];

/** Confirms a new quote. @returns how to send the same again. */
const confirmation = async (person: Person) => {
  const { quoteId } = await quote(person, 10);
  const body = { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } as const;
  return () => person.api.POST('/pix/payments', { body });
};

const waiting = (waits: Partial<PaymentWaits>) => async () => ({ conversionMs: 0, reportMs: 0, ...waits });

/** Waits until so many conversions are left in the table, which then have been due for so long. */
async function conversionsAreDueFor({ service }: World, many: number, seconds: number): Promise<void> {
  const left = service.app.db
    .updateTable('effects')
    .set({ due_at: sql<Date>`now() - make_interval(secs => ${seconds})` })
    .where('urgent_until', 'is not', null)
    .where('status', '=', 'queued')
    .where('leased_by', 'is', null);
  await until(
    () => left.executeTakeFirstOrThrow(),
    ({ numUpdatedRows }) => numUpdatedRows === BigInt(many),
  );
}

/** It is read once a second. */
const untilOverload = ({ service }: World, isOverloaded: boolean): Promise<PaymentWaits> =>
  until(
    () => service.app.overload.waits(),
    ({ conversionMs }) => conversionMs > 5_000 === isOverloaded,
  );

describe('payments whose conversions no worker begins', () => {
  /** It serves HTTP only. */
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

  it('are answered as before; new ones are refused, with nothing created, until the wait is short again', async () => {
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

    await conversionsAreDueFor(world, 3, 0);
    await untilOverload(world, false);
    const later = await late();
    expect(later.response.status).toBe(201);

    const worker = await startWorker();
    for (const [nth, person] of [ada, bea, cleo].entries())
      await reaches(person, must(accepted[nth] ?? later).pixPaymentId, 'completed');
    await reaches(dan, must(later).pixPaymentId, 'completed');
    await worker.stop();
  });
});

describe('payments whose conversions wait for a process that has no slot for them', () => {
  /** It does everything, one piece of work at a time. */
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

  it('make it refuse new ones, one person’s many do not, and it accepts them again by itself', async () => {
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
    for (let payments = 0; payments < 4; payments += 1) ofBea.push(await pay(bea, await quote(bea, 10)));
    const others = [await pay(cleo, await quote(cleo, 10)), await pay(dan, await quote(dan, 10))];
    // Behind the call that hangs they are left in the table after a while. Of bea, who has more than a share, none counts.
    await conversionsAreDueFor(world, 6, 6);
    const { db, outbox } = world.service.app;
    expect((await readPaymentWaits(db, outbox.waitsMs(), new Date())).conversionMs).toBe(0);
    const ofEve = await pay(eve, await quote(eve, 10));
    await conversionsAreDueFor(world, 7, 6);
    await untilOverload(world, true);
    expect(refusalIn(await (await confirmation(ada))())).toEqual(OVERLOADED);

    letAnswer();
    await reaches(ada, first, 'completed');
    for (const id of ofBea) await reaches(bea, id, 'completed');
    await reaches(cleo, others[0] ?? '', 'completed');
    await reaches(dan, others[1] ?? '', 'completed');
    await reaches(eve, ofEve, 'completed');
    await reaches(ada, await pay(ada, await quote(ada, 10)), 'completed');
  });
});

describe('an overload', () => {
  const silent = createLog('info', { write: () => undefined });

  it.each([
    ['conversions wait for up to five seconds', { conversionMs: 5_000 }],
    ['reports wait for up to thirty seconds', { reportMs: 30_000 }],
  ])('is not where %s', async (_what, waits) => {
    const overload = createOverload({ read: waiting(waits), refused: () => undefined, log: silent });
    await expect(overload.assertNone()).resolves.toBeUndefined();
  });

  it.each([
    ['conversions wait for longer than five seconds', { conversionMs: 5_001 }],
    ['reports wait for longer than thirty seconds', { reportMs: 30_001 }],
  ])('is where %s', async (_what, waits) => {
    const overload = createOverload({ read: waiting(waits), refused: () => undefined, log: silent });
    await expect(overload.assertNone()).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('is read once for many payments, counted for each, and logged when it begins and ends', async () => {
    const codes: string[] = [];
    const log = createLog('info', { write: (line) => void codes.push(JSON.parse(line).code as string) });
    let present: PaymentWaits = { conversionMs: 6_000, reportMs: 0 };
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
    const payments = Array.from({ length: 50 }, () => overload.assertNone());
    const outcomes = await Promise.allSettled(payments);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect([readings, refused]).toEqual([1, 50]);
    present = { conversionMs: 0, reportMs: 0 };
    await until(
      () => overload.waits(),
      ({ conversionMs }) => conversionMs === 0,
    );
    await overload.assertNone();
    expect(codes).toEqual(['overload.began', 'overload.ended']);
  });
});
