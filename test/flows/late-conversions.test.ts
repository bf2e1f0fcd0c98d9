// A request for the second conversion of a two-hop payment, or for the conversion back, is unanswered and arrives later. The
// second conversion and the conversion back never both happen.
import { beforeEach, expect, test } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { runEffect } from '../../src/effects/run.ts';
import { effectHandlers } from '../../src/start/effect-handlers.ts';
import { opsHere } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { decidesAfter, heldRefusal, receiveLate } from '../support/late-requests.ts';
import { growOlder, letTimePass } from '../support/outbox.ts';
import { balanceOf, must, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let ada: Person;
const { world, provider, db } = useWorld({ env: { USDC_ACCOUNTS_ENABLED: 'true' } });
beforeEach(async () => {
  ada = await verified(world, { deposit: '500.00' });
});

/** The effect of the leg, once a transition has emitted it. */
const effectOf = (id: string, leg: 'leg2' | 'reverse') =>
  until(
    async () =>
      (await byTable(db()).selectFrom('effects').selectAll().where('subject_id', '=', id).execute()).find(
        ({ params }) => params['leg'] === leg,
      ),
    (effect) => effect !== undefined,
  ).then((effect) => effect as NonNullable<typeof effect>);

const isHeld = async (id: string, leg: 'leg2' | 'reverse' = 'leg2'): Promise<void> =>
  expect(await heldRefusal(() => effectOf(id, leg))).not.toBeNull();

/**
 * Lets time pass, and waits for another attempt of the effect. By then, a pending refusal that became definitive has been
 * applied.
 */
const waits = (id: string, ms: number, leg: 'leg2' | 'reverse' = 'leg2') =>
  decidesAfter(world, () => effectOf(id, leg), ms);

const statusOf = async (id: string) =>
  must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } })).status;

const transfersOf = async (id: string) => ({
  leg2: await provider.findTransfer(handleFor(id, 'conversion-leg2')),
  reverse: await provider.findTransfer(handleFor(id, 'conversion-reverse')),
});

const ofLeg = (leg: 'leg2' | 'reverse', ids: () => string[]) => (request: { handle: string }) =>
  ids().some((id) => request.handle === handleFor(id, `conversion-${leg}`));

/** Starts a payment. The provider answers the requests for the leg as `answers` says. */
async function payLate(
  amountBrl: number,
  answers: Parameters<typeof receiveLate>[2],
  leg: 'leg2' | 'reverse' = 'leg2',
) {
  const ids: string[] = [];
  const quoted = await quote(ada, amountBrl);
  const late = receiveLate(
    world,
    'createTransfer',
    answers,
    ofLeg(leg, () => ids),
  );
  // The handle is known only with the payment's id, so no transfer is sent before the test has that id.
  const receiving = world.service.app.provider;
  const recorded = Promise.withResolvers<void>();
  world.service.app.provider = {
    ...receiving,
    createTransfer: async (transfer) => {
      await recorded.promise;
      return receiving.createTransfer(transfer);
    },
  };
  const id = await pay(ada, quoted);
  ids.push(id);
  recorded.resolve();
  return { id, late, quoted };
}

test('a second conversion that arrives 50 s late, though its repetition was rejected, completes the payment without a refund', async () => {
  const { id, late, quoted } = await payLate(10, ['lost', 'rejected']);
  await isHeld(id);
  await waits(id, 50 * SECOND);
  expect([await statusOf(id), late.sent()]).toEqual(['converting', 2]);
  await late.arrive();
  await letTimePass(world, 0);
  await reaches(ada, id, 'completed');
  expect((await transfersOf(id)).reverse).toBeNull();
  expect(await balanceOf(ada)).toBe(50_000 - quoted.sourceAmount);
});

test('a payment whose second conversion never arrives is refunded 90 s after the end of its last unanswered quote', async () => {
  const { id, late } = await payLate(11, ['lost', 'rejected']);
  await isHeld(id);
  await waits(id, 135 * SECOND);
  expect(await statusOf(id)).toBe('converting');
  await letTimePass(world, 20 * SECOND);
  await reaches(ada, id, 'refunded');
  expect(late.sent()).toBe(2);
  expect((await transfersOf(id)).leg2).toBeNull();
  expect(await balanceOf(ada)).toBe(50_000);
});

test('a refund waits for the end of the last unanswered quote, not of the first', async () => {
  const { id, late } = await payLate(12, [{ lostFor: 50 * SECOND }, 'lost', 'rejected']);
  await until(
    () => effectOf(id, 'leg2'),
    ({ attempts }) => attempts === 1,
  );
  // A minute passes between the two lost requests.
  await letTimePass(world, MINUTE);
  await isHeld(id);
  await waits(id, 110 * SECOND);
  expect([await statusOf(id), late.sent()]).toEqual(['converting', 3]);
  await letTimePass(world, 45 * SECOND);
  await reaches(ada, id, 'refunded');
});

test.each([
  ['leg2', 14],
  // The sandbox refuses the second conversion of this amount.
  ['reverse', 3.33],
] as const)('the quote of an unanswered %s survives the refusals of later quotes', async (leg, amountBrl) => {
  const { id, late } = await payLate(amountBrl, ['lost', 'quote_expired', 'rejected'], leg);
  await isHeld(id, leg);
  const quotes = await byTable(db())
    .selectFrom('conversion_quotes')
    .select('is_consumed')
    .where('payment_id', '=', id)
    .where('leg', '=', leg)
    .execute();
  expect([late.sent(), quotes]).toEqual([3, [{ is_consumed: false }]]);
  await late.arrive();
  await letTimePass(world, 0);
  await reaches(ada, id, leg === 'leg2' ? 'completed' : 'refunded');
});

test('a second conversion is not given up after one unanswered request, however far ahead the service’s clock is', async () => {
  await world.clock.later(100 * SECOND, async () => {
    const { id, late } = await payLate(13, ['lost', 'rejected', 'through']);
    await isHeld(id);
    expect(await statusOf(id)).toBe('converting');
    await late.arrive();
    await letTimePass(world, 0);
    await reaches(ada, id, 'completed');
    expect((await transfersOf(id)).reverse).toBeNull();
  });
});

test('a refusal is pending if one of two concurrent runs has sent a request and the other gives up', async () => {
  const { app } = world.service;
  const { id, late } = await payLate(14, ['lost', 'rejected']);
  await isHeld(id);
  // The slower run has read the effect before it had a pending refusal.
  const stale = { ...(await effectOf(id, 'leg2')) };
  await byTable(db()).updateTable('effects').set({ held_refusal: null }).where('id', '=', stale.id).execute();
  app.provider = {
    ...app.provider,
    createQuote: async (request) => {
      const { ProviderRefusal } = await import('../../src/provider/errors.ts');
      throw new ProviderRefusal('rejected', `createQuote ${request.sourceCurrency}`);
    },
  };
  await runEffect({ ...app, effectHandlers }, { id: stale.id, userId: stale.user_id });
  expect(await statusOf(id)).toBe('converting');
  expect((await effectOf(id, 'leg2')).held_refusal).toBe('no quote can be had');
  app.provider = provider;
  await late.arrive();
  await letTimePass(world, 0);
  await reaches(ada, id, 'completed');
  expect((await transfersOf(id)).reverse).toBeNull();
});

test('a second conversion whose quote was consumed by an unknown transfer takes another quote only after that one is over', async () => {
  const { id, late } = await payLate(15, ['quote_consumed', 'through']);
  await until(
    () => effectOf(id, 'leg2'),
    ({ last_error }) => last_error?.includes('quote was consumed') === true,
  );
  await waits(id, 120 * SECOND);
  expect([await statusOf(id), late.sent()]).toEqual(['converting', 1]);
  await letTimePass(world, 35 * SECOND);
  await reaches(ada, id, 'completed');
  expect(late.sent()).toBe(2);
});

test('a second conversion takes no quote after a quarter of an hour, and the money goes back when no request is in flight', async () => {
  const { id, late } = await payLate(16, ['lost']);
  await until(
    async () => late.sent(),
    (sent) => sent >= 1,
  );
  await letTimePass(world, 16 * MINUTE);
  await reaches(ada, id, 'refunded');
  expect(await balanceOf(ada)).toBe(50_000);
});

test('a second conversion that was paused for longer than a quarter of an hour is still tried', async () => {
  const { app } = world.service;
  const why = ['--reason', 'a test of pausing'];
  await opsHere(app, ['effects', 'pause', 'startConversion', ...why]);
  const before = await quote(ada, 17);
  const id = await pay(ada, before);
  const first = await byTable(db())
    .selectFrom('effects')
    .selectAll()
    .where('subject_id', '=', id)
    .executeTakeFirstOrThrow();
  await runEffect({ ...app, effectHandlers }, { id: first.id, userId: first.user_id });
  const { id: effectId } = await effectOf(id, 'leg2');
  // The attempt count says that one attempt failed before the pause.
  await byTable(db()).updateTable('effects').set({ attempts: 1 }).where('id', '=', effectId).execute();
  await growOlder(world, 16 * MINUTE);
  await opsHere(app, ['effects', 'resume', 'startConversion', ...why]);
  expect((await effectOf(id, 'leg2')).paused_ms).toBeGreaterThan(15 * MINUTE);
  await reaches(ada, id, 'completed');
});

test('a conversion back that arrives late, though its repetition was rejected, refunds the payment without a manual review', async () => {
  // The sandbox refuses the second conversion of this amount.
  const { id, late } = await payLate(3.33, ['lost', 'rejected'], 'reverse');
  await isHeld(id, 'reverse');
  await waits(id, 50 * SECOND, 'reverse');
  expect(await statusOf(id)).toBe('refunding');
  await late.arrive();
  await letTimePass(world, 0);
  await reaches(ada, id, 'refunded');
  expect(await balanceOf(ada)).toBe(50_000);
});
