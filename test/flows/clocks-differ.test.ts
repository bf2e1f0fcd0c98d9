// Several processes with different clocks share one database. Times that a process has written are compared with the database's
// clock, so a wrong clock neither shortens nor prolongs a wait.
import { beforeEach, describe, expect, test } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { byTable } from '../support/by-table.ts';
import { decidesAfter, heldRefusal, receiveLate } from '../support/late-requests.ts';
import { growOlder, letTimePass } from '../support/outbox.ts';
import {
  balanceOf,
  must,
  type Person,
  pay,
  quote,
  reaches,
  refusalIn,
  verified,
  withdraw,
} from '../support/person.ts';
import { depositWithoutCallback } from '../support/unannounced.ts';
import { until } from '../support/until.ts';
import { payoutsOf, transfersOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const joana = { pixKey: '52998224725', pixKeyType: 'cpf' } as const;

let ada: Person;
const { world } = useWorld({ env: { USDC_ACCOUNTS_ENABLED: 'true' } });
beforeEach(async () => {
  ada = await verified(world, { deposit: '500.00' });
});

const effectOf = (subjectId: string) =>
  byTable(world.service.app.db)
    .selectFrom('effects')
    .selectAll()
    .where('subject_id', '=', subjectId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();

const isUnanswered = (subjectId: string, leg?: string) =>
  until(
    () => effectOf(subjectId),
    ({ params, attempts, leased_by: process }) =>
      attempts === 1 && process === null && (leg === undefined || params['leg'] === leg),
  );

const statusOf = async (id: string) =>
  must(await ada.api.GET('/transactions/{id}', { params: { path: { id } } })).status;

const paymentStatus = async (id: string) =>
  must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } })).status;

const confirm = (quoteId: string) => ada.api.POST('/pix/payments', { body: { quoteId, ...joana } });

/** A request that stays unanswered. It is not repeated before the test has changed the clock of the process. */
const LOST = { lostFor: 30 * MINUTE };

describe.each([
  ['four minutes behind', -4 * MINUTE],
  ['ten minutes behind', -10 * MINUTE],
  ['ten minutes ahead', 10 * MINUTE],
])(
  'a request of a process whose clock is %s is unanswered, and the repetition by another process is refused',
  (_, aheadMs) => {
    test('a withdrawal waits for the first request, which debits it once', async () => {
      const late = receiveLate(world, 'createPayout', [LOST, 'rejected']);
      const id = await world.clock.later(aheadMs, async () => {
        const settling = await withdraw(ada, 5_000);
        await isUnanswered(settling);
        return settling;
      });
      await letTimePass(world, 0);
      expect(await heldRefusal(() => effectOf(id))).toBe('rejected');
      expect(await statusOf(id)).toBe('settling');
      await late.arrive();
      await letTimePass(world, 0);
      await until(
        () => statusOf(id),
        (status) => status === 'completed',
      );
      expect(await payoutsOf(world, id, 'withdraw')).toHaveLength(1);
      expect(await balanceOf(ada)).toBe(45_000);
    });

    test('a withdrawal whose first request never arrives fails after four minutes', async () => {
      const late = receiveLate(world, 'createPayout', [LOST, 'rejected']);
      const id = await world.clock.later(aheadMs, async () => {
        const settling = await withdraw(ada, 6_000);
        await isUnanswered(settling);
        return settling;
      });
      await letTimePass(world, 0);
      expect(await heldRefusal(() => effectOf(id))).toBe('rejected');
      await decidesAfter(world, () => effectOf(id), 225 * SECOND);
      expect([await statusOf(id), late.sent()]).toEqual(['settling', 2]);
      await letTimePass(world, 30 * SECOND);
      await until(
        () => statusOf(id),
        (status) => status === 'failed',
      );
      expect(late.sent()).toBe(3);
    });

    test('a conversion waits until the quote that the first process received has expired', async () => {
      const leg1 = receiveLate(world, 'createTransfer', [LOST, 'insufficient_funds']);
      const id = await world.clock.later(aheadMs, async () => {
        const converting = await pay(ada, await quote(ada, 10));
        await isUnanswered(converting);
        return converting;
      });
      await letTimePass(world, 0);
      expect(await heldRefusal(() => effectOf(id))).toBe('insufficient_funds');
      await decidesAfter(world, () => effectOf(id), 140 * SECOND);
      expect(await paymentStatus(id)).toBe('converting');
      await letTimePass(world, 15 * SECOND);
      await reaches(ada, id, 'failed');
      leg1.end();
      expect(await transfersOf(world, id)).toEqual([]);
    });

    test('a second conversion waits until the quote that the first process committed has expired', async () => {
      let id = '';
      const isLeg2 = ({ handle }: { handle: string }) => handle === handleFor(id, 'conversion-leg2');
      const paying = Promise.withResolvers<void>();
      const late = receiveLate(world, 'createTransfer', [LOST, 'rejected'], isLeg2);
      const { provider: receiving } = world.service.app;
      // No request is sent before the test knows the handles of the payment.
      world.service.app.provider = {
        ...receiving,
        createTransfer: (transfer) => paying.promise.then(() => receiving.createTransfer(transfer)),
      };
      await world.clock.later(aheadMs, async () => {
        id = await pay(ada, await quote(ada, 11));
        paying.resolve();
        await isUnanswered(id, 'leg2');
      });
      await letTimePass(world, 0);
      expect(await heldRefusal(() => effectOf(id))).toBe('rejected');
      await decidesAfter(world, () => effectOf(id), 140 * SECOND);
      expect([await paymentStatus(id), late.sent()]).toEqual(['converting', 2]);
      await letTimePass(world, 15 * SECOND);
      await reaches(ada, id, 'refunded');
      expect(await balanceOf(ada)).toBe(50_000);
    });
  },
);

describe.each([
  ['behind', -10 * MINUTE],
  ['ahead', 10 * MINUTE],
])('a process whose clock is ten minutes %s', (_, aheadMs) => {
  test('a process with a wrong clock confirms a quote of another process until the quote expires', async () => {
    const [alive, over] = [await quote(ada, 12), await quote(ada, 13)];
    const confirmed = await world.clock.later(aheadMs, () => confirm(alive.quoteId));
    await reaches(ada, must(confirmed).pixPaymentId, 'completed');
    await growOlder(world, MINUTE);
    const refused = await world.clock.later(aheadMs, () => confirm(over.quoteId));
    expect(refusalIn(refused)).toEqual([409, 'quote_expired']);
  });

  test('quotes of a process with a wrong clock live for a minute', async () => {
    const before = Date.now();
    const { expiresAt } = await world.clock.later(aheadMs, () => quote(ada, 14));
    expect(Date.parse(expiresAt)).toBeGreaterThan(before + MINUTE - SECOND);
    expect(Date.parse(expiresAt)).toBeLessThan(Date.now() + MINUTE + SECOND);
  });

  test('a balance that a process with a wrong clock has read is cached no longer than any other', async () => {
    expect(await world.clock.later(aheadMs, () => balanceOf(ada))).toBe(50_000);
    await depositWithoutCallback(ada, '10.00');
    await growOlder(world, 16 * SECOND);
    expect(await balanceOf(ada)).toBe(51_000);
  });

  test('a process with a wrong clock recognises the repetition of a withdrawal without a key that another process accepted', async () => {
    const first = await withdraw(ada, 7_000);
    expect(await world.clock.later(aheadMs, () => withdraw(ada, 7_000))).toBe(first);
  });

  test('a withdrawal without a key that a process with a wrong clock accepted is recognised by another process for a minute', async () => {
    const first = await world.clock.later(aheadMs, () => withdraw(ada, 8_000));
    expect(await withdraw(ada, 8_000)).toBe(first);
    await growOlder(world, MINUTE);
    expect(await withdraw(ada, 8_000)).not.toBe(first);
  });

  test('a process with a wrong clock plans the next attempt of an effect for the same time as any other process', async () => {
    const late = receiveLate(world, 'createPayout', [LOST]);
    const before = Date.now();
    const id = await world.clock.later(aheadMs, async () => {
      const settling = await withdraw(ada, 9_000);
      await isUnanswered(settling);
      return settling;
    });
    const { due_at: dueAt } = await effectOf(id);
    expect(dueAt?.getTime()).toBeGreaterThan(before + 25 * MINUTE);
    expect(dueAt?.getTime()).toBeLessThan(Date.now() + 31 * MINUTE);
    late.end();
  });

  test('a process with a wrong clock plans the polls of an object for the same time as any other process', async () => {
    const before = Date.now();
    // A payout of this amount stays unfinished, so it is polled.
    const id = await world.clock.later(aheadMs, async () => {
      const paying = await pay(ada, await quote(ada, 17), {
        pixKey: 'slow@pix.example',
        pixKeyType: 'email',
      });
      await reaches(ada, paying, 'paying');
      return paying;
    });
    const { next_poll_at: pollAt } = await until(
      () =>
        byTable(world.service.app.db)
          .selectFrom('provider_resources')
          .select('next_poll_at')
          .where('handle', '=', handleFor(id, 'payout'))
          .executeTakeFirstOrThrow(),
      ({ next_poll_at: planned }) => planned !== null,
    );
    expect(pollAt?.getTime()).toBeGreaterThan(before);
    expect(pollAt?.getTime()).toBeLessThan(Date.now() + MINUTE);
  });
});
