// Invariants of a PIX payment's money, for any events in any order and number.
import { ok as assert, deepEqual, equal } from 'node:assert/strict';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { leafStatesOf } from '../../machines/arrows.ts';
import type { ConversionLeg } from '../../machines/effects.ts';
import { assertInvariants } from '../../machines/invariants.ts';
import type { StateOf } from '../../machines/machines.ts';
import { pixPaymentInvariants } from '../../machines/pix-payment.invariants.ts';
import {
  type PixPaymentContext,
  type PixPaymentEvent,
  pixPaymentMachine,
} from '../../machines/pix-payment.machine.ts';
import { begin, statusOf, step } from '../../machines/step.ts';
import type { Currency } from '../../src/domain/currency.ts';
import { transactionStatuses } from '../../src/lifecycle/pix-payment.ts';
import { effectsOf } from './decisions.ts';
import { walk } from './walk.ts';

const LENGTH = 9;
const AMOUNT_BRL = 25_000;
const HOME_DEBIT = 4_300;
const USDC_DELIVERED = 45_000_000;
const BRL_RETURNED = AMOUNT_BRL - 100;

/** The real movements of the money, derived from the emitted effects and the accepted events. */
type Ledger = {
  conversions: ConversionLeg[];
  brlDelivered: number | null;
  /** The debit of the first conversion, in either flow. */
  homeTaken: number | null;
  usdcTaken: number | null;
  brlTaken: number | null;
  homeRestored: number | null;
  payouts: number;
  isPayoutUnderWay: boolean;
  /** The number of attempts that exist at the provider. */
  attemptsMade: number;
  brlPaid: number | null;
};
type ModelState = { state: StateOf<'pix_payment'>; context: PixPaymentContext; ledger: Ledger };

const firstWorld = (flow: PixPaymentContext['flow']): ModelState => {
  const { state, context } = begin(pixPaymentMachine, {
    flow,
    quotedSourceMinor: HOME_DEBIT,
    amountBrlMinor: AMOUNT_BRL,
  });
  const ledger: Ledger = {
    conversions: [],
    brlDelivered: null,
    homeTaken: null,
    usdcTaken: null,
    brlTaken: null,
    homeRestored: null,
    payouts: 0,
    isPayoutUnderWay: false,
    attemptsMade: 0,
    brlPaid: null,
  };
  return { state, context, ledger };
};

type PaymentLeg = Exclude<ConversionLeg, 'partial'>;
type Happening = (context: PixPaymentContext) => PixPaymentEvent;
type Paid = { amountMinor: number; currency: Currency };

const exactly: Paid = { amountMinor: AMOUNT_BRL, currency: 'BRL' };
/** The ordered amount and currency, and slightly different ones. */
const reports: Paid[] = [
  exactly,
  { ...exactly, amountMinor: AMOUNT_BRL - 1 },
  { ...exactly, amountMinor: AMOUNT_BRL + 1 },
  { ...exactly, currency: 'GBP' },
];
const near = (amountMinor: number) => [amountMinor, amountMinor - 1, amountMinor + 1];
const completions = (leg: PaymentLeg, sourceAmountMinor: number, destinations: number[]): Happening[] =>
  destinations.map((destinationAmountMinor) => () => ({
    type: `${leg}.completed`,
    sourceAmountMinor,
    destinationAmountMinor,
  }));
const conversionFailure =
  (leg: PaymentLeg): Happening =>
  () => ({ type: `${leg}.failed`, reason: 'conversion_failed' });
const reason = 'payout_failed';
const payoutFailure =
  (fromPresent: number, paid = exactly): Happening =>
  ({ payoutAttempt }) => ({
    type: 'off-ramp.failed',
    attempt: payoutAttempt + fromPresent,
    attempted: true,
    reason,
    ...paid,
  });
const payoutRefusal =
  (fromPresent: number): Happening =>
  ({ payoutAttempt }) => ({
    type: 'off-ramp.failed',
    attempt: payoutAttempt + fromPresent,
    attempted: false,
    reason,
  });

/** Every possible event, with right and wrong amounts, the current attempt and others. */
const happenings: readonly Happening[] = [
  () => ({ type: 'confirmed' }),
  ...completions('direct', HOME_DEBIT, near(AMOUNT_BRL)),
  ...completions('direct', HOME_DEBIT - 1, [AMOUNT_BRL]),
  ...completions('direct', HOME_DEBIT + 1, [AMOUNT_BRL]),
  conversionFailure('direct'),
  ...completions('leg1', HOME_DEBIT, [USDC_DELIVERED]),
  ...completions('leg1', HOME_DEBIT - 1, [USDC_DELIVERED - 1]),
  ...completions('leg1', HOME_DEBIT + 1, [USDC_DELIVERED]),
  conversionFailure('leg1'),
  ...completions('leg2', USDC_DELIVERED - 2, near(AMOUNT_BRL)),
  ...completions('leg2', USDC_DELIVERED + 2, [AMOUNT_BRL]),
  conversionFailure('leg2'),
  ...completions('reverse', USDC_DELIVERED - 3, near(HOME_DEBIT)),
  ...completions('reverse', USDC_DELIVERED + 3, [HOME_DEBIT]),
  conversionFailure('reverse'),
  ({ homeDebitMinor }) => ({ type: 'return.requested', homeDebitMinor: homeDebitMinor ?? 0, capBps: 100 }),
  () => ({ type: 'return.requested', homeDebitMinor: HOME_DEBIT + 1, capBps: 100 }),
  ...completions('return', BRL_RETURNED, near(HOME_DEBIT)),
  ...completions('return', AMOUNT_BRL + 1, [HOME_DEBIT]),
  conversionFailure('return'),
  ...reports.flatMap((paid): Happening[] => [
    () => ({ type: 'off-ramp.completed', endToEndId: 'E2E', voucherId: null, ...paid }),
    payoutFailure(0, paid),
    () => ({ type: 'off-ramp.refunded', ...paid }),
  ]),
  payoutRefusal(0),
  payoutFailure(-1),
  payoutRefusal(-1),
  payoutFailure(1),
  () => ({ type: 'retry' }),
  () => ({ type: 'reviewed.completed' }),
  () => ({ type: 'reviewed.manual_review' }),
  () => ({ type: 'settled', amountMinor: HOME_DEBIT, currency: 'GBP', at: new Date(0) }),
];

/** Steps the machine, updates the ledger, and asserts every invariant of both. */
function after(world: ModelState, happening: Happening): ModelState | null {
  const event = happening(world.context);
  const stepped = step(pixPaymentMachine, world.state, world.context, event);
  if (stepped === null) return null;
  const effects = effectsOf(stepped);
  const next: ModelState = {
    state: stepped.state,
    context: stepped.context,
    ledger: ordered(entered(world.ledger, event), effects),
  };
  assertInvariants(pixPaymentMachine, pixPaymentInvariants, stepped);
  deepEqual(effects, emittedBy(event, next.state));
  holdsTransition(world, event, next);
  holds(next);
  equal(step(pixPaymentMachine, next.state, next.context, event), null, 'the same event again is refused');
  return next;
}

const emittedBy = ({ type }: PixPaymentEvent, state: StateOf<'pix_payment'>): string[] =>
  type === 'return.requested' ? ['startConversion:return'] : (emittedOnEntering[state] ?? []);

const emittedOnEntering: Partial<Record<StateOf<'pix_payment'>, string[]>> = {
  'converting.direct': ['startConversion:direct'],
  'converting.leg1': ['startConversion:leg1'],
  'converting.leg2': ['startConversion:leg2'],
  refunding: ['startConversion:reverse'],
  paying: ['startPayout'],
};

function entered(ledger: Ledger, event: PixPaymentEvent): Ledger {
  switch (event.type) {
    case 'direct.completed':
      return { ...ledger, homeTaken: event.sourceAmountMinor, brlDelivered: event.destinationAmountMinor };
    case 'leg2.completed':
      return { ...ledger, usdcTaken: event.sourceAmountMinor, brlDelivered: event.destinationAmountMinor };
    case 'leg1.completed':
      return { ...ledger, homeTaken: event.sourceAmountMinor };
    case 'reverse.completed':
      return { ...ledger, usdcTaken: event.sourceAmountMinor, homeRestored: event.destinationAmountMinor };
    case 'return.completed':
      return { ...ledger, brlTaken: event.sourceAmountMinor, homeRestored: event.destinationAmountMinor };
    case 'off-ramp.completed':
      return { ...ledger, brlPaid: event.amountMinor, isPayoutUnderWay: false };
    case 'off-ramp.failed':
      return {
        ...ledger,
        isPayoutUnderWay: false,
        attemptsMade: event.attempted ? event.attempt : ledger.attemptsMade,
      };
    // An operator has decided this.
    case 'reviewed.completed':
      return { ...ledger, brlPaid: AMOUNT_BRL, isPayoutUnderWay: false };
    case 'off-ramp.refunded':
      return { ...ledger, brlPaid: null, isPayoutUnderWay: false };
    default:
      return ledger;
  }
}

function ordered(ledger: Ledger, effects: string[]): Ledger {
  const [effect] = effects;
  if (effect === undefined) return ledger;
  if (effect === 'startPayout') {
    assert(!ledger.isPayoutUnderWay, 'one payout at a time');
    equal(ledger.brlDelivered, AMOUNT_BRL, 'a payout spends exactly what was delivered');
    return { ...ledger, payouts: ledger.payouts + 1, isPayoutUnderWay: true };
  }
  const leg = effect.slice('startConversion:'.length) as ConversionLeg;
  assert(!ledger.conversions.includes(leg), 'each conversion once');
  if (leg === 'return') {
    assert(!ledger.isPayoutUnderWay && ledger.payouts > 0, 'only a failed payout is returned');
    equal(ledger.brlDelivered, AMOUNT_BRL, 'a return converts what was delivered');
  } else equal(ledger.payouts, 0, 'nothing else is converted once a payout has been started');
  return { ...ledger, conversions: [...ledger.conversions, leg] };
}

const ends = new Set(['completed', 'refunded', 'manual_review', 'failed', 'conversion_failed']);

function holdsTransition(before: ModelState, event: PixPaymentEvent, next: ModelState): void {
  assert(
    !ends.has(before.state) || event.type === 'off-ramp.refunded' || event.type === 'settled',
    'an end is left only if the payout is returned',
  );
  if (event.type === 'settled') equal(next.state, 'manual_review', 'a settlement changes no state');
  const fewer = before.context.payoutAttempt - next.context.payoutAttempt;
  const isRefusal = event.type === 'off-ramp.failed' && !event.attempted;
  assert(fewer <= (isRefusal ? 1 : 0), 'attempts are uncounted one by one, and only those not made');
}

function holds({ state, context, ledger }: ModelState): void {
  equal(context.homeDebitMinor, ledger.homeTaken, 'the home debit is what the first conversion took');
  if (state === 'paying')
    equal(context.payoutAttempt, ledger.attemptsMade + 1, 'the attempt asked for is the next one there');
  if (state === 'completed') equal(ledger.brlPaid, AMOUNT_BRL, 'completed: the merchant has exactly that');
  if (state === 'failed')
    deepEqual(
      [ledger.payouts, ledger.brlDelivered, ledger.homeTaken],
      [0, null, null],
      'failed: nothing moved',
    );
  if (state === 'refunded') {
    equal(ledger.homeRestored, ledger.homeTaken, 'refunded: all that was taken is back');
    assert(ledger.homeRestored !== null && ledger.brlPaid === null, 'refunded: taken, and never paid out');
    assert(ledger.payouts === 0 || ledger.conversions.includes('return'), 'refunded: a payout is returned');
  }
  const shown = transactionStatuses[statusOf(state)];
  if (shown === 'failed') assert(context.failure !== null, 'a failed transaction has its reason');
  if (shown === 'completed') equal(context.failure, null, 'a completed one has none');
  if (context.usdcResidualMinor !== null)
    equal(
      context.usdcResidualMinor,
      (context.usdcDeliveredMinor ?? 0) - (ledger.usdcTaken ?? 0),
      'what is left over is what came less what was taken',
    );
  if (context.brlResidualMinor !== null)
    equal(context.brlResidualMinor, AMOUNT_BRL - (ledger.brlTaken ?? 0), 'the BRL left over is the rest');
  if (state !== 'manual_review')
    assert((ledger.homeTaken ?? 0) <= HOME_DEBIT, 'nothing goes on that took more than was quoted');
}

test.each(['direct', 'two_hop'] as const)('all sequences of nine events keep the money right: %s', (flow) => {
  const { sequences } = walk(firstWorld(flow), happenings, after, LENGTH);
  expect(sequences).toBe(happenings.length ** LENGTH);
});

test('sequences of events reach every state except conversion_failed, which exists only in the contract', () => {
  const worlds = (['direct', 'two_hop'] as const).flatMap(
    (flow) => walk(firstWorld(flow), happenings, after, 6).worlds,
  );
  const reached = new Set(worlds.map(({ state }) => state));
  const missed = leafStatesOf(pixPaymentMachine).filter((state) => !reached.has(state));
  // Only a confirmation leaves the first state, so sequences without one stay in it.
  expect(missed).toEqual(['conversion_failed']);
});

test('long sequences, most of whose events are refused, also keep the money right', () => {
  const flows = fc.constantFrom('direct' as const, 'two_hop' as const);
  // Half of the picked events are ones that the state accepts, so that sequences make progress.
  const picks = fc.array(fc.tuple(fc.boolean(), fc.nat()), { minLength: LENGTH, maxLength: 200 });
  expect(() =>
    fc.assert(
      fc.property(flows, picks, (flow, events) => {
        let world = firstWorld(flow);
        for (const [isAccepted, index] of events) {
          const here = world;
          const accepted = isAccepted ? happenings.filter((one) => after(here, one) !== null) : [];
          const among = accepted.length > 0 ? accepted : happenings;
          world = after(here, among[index % among.length] as Happening) ?? here;
        }
      }),
      { numRuns: 200 },
    ),
  ).not.toThrow();
});
