// The decisions about every event in every state of a PIX payment.
import { expect, test } from 'vitest';
import { arrowsOf, leafStatesOf } from '../../machines/arrows.ts';
import { pixPaymentInvariants } from '../../machines/pix-payment.invariants.ts';
import {
  type PixPaymentContext,
  type PixPaymentEvent,
  pixPaymentMachine,
} from '../../machines/pix-payment.machine.ts';
import { type Accepted, decidesAs, reachableFrom } from './decisions.ts';

const AMOUNT_BRL = 25_000;
const HOME_DEBIT = 4_300;
const USDC_DELIVERED = 45_000_000;
const LEG_2_SOURCE = 44_600_000;
const REVERSE_SOURCE = 44_900_000;

const quoted: PixPaymentContext = {
  flow: 'direct',
  quotedSourceMinor: HOME_DEBIT,
  amountBrlMinor: AMOUNT_BRL,
  homeDebitMinor: null,
  usdcDeliveredMinor: null,
  usdcResidualMinor: null,
  payoutAttempt: 0,
  endToEndId: null,
  voucherId: null,
  failure: null,
};
const twoHop: PixPaymentContext = { ...quoted, flow: 'two_hop' };
const delivered = { ...twoHop, homeDebitMinor: HOME_DEBIT, usdcDeliveredMinor: USDC_DELIVERED };
const paying = { ...quoted, payoutAttempt: 1 };
const receipt = { endToEndId: 'E2E', voucherId: 'V1' };

const situations = {
  'quoted in one hop': { state: 'quoted', context: quoted },
  'quoted in two': { state: 'quoted', context: twoHop },
  'converting.direct': { state: 'converting.direct', context: quoted },
  'converting.leg1': { state: 'converting.leg1', context: twoHop },
  'converting.leg2': { state: 'converting.leg2', context: delivered },
  paying: { state: 'paying', context: paying },
  'paying again': { state: 'paying', context: { ...paying, payoutAttempt: 2 } },
  payout_failed: { state: 'payout_failed', context: { ...paying, failure: 'payout_failed' } },
  'payout never made': {
    state: 'payout_failed',
    context: { ...paying, payoutAttempt: 0, failure: 'payout_failed' },
  },
  completed: { state: 'completed', context: { ...paying, ...receipt } },
  refunding: { state: 'refunding', context: delivered },
  refunded: { state: 'refunded', context: { ...delivered, failure: 'refunded' } },
  manual_review: { state: 'manual_review', context: { ...delivered, failure: 'under_review' } },
  failed: { state: 'failed', context: { ...quoted, failure: 'conversion_failed' } },
  conversion_failed: { state: 'conversion_failed', context: quoted },
} as const satisfies Record<string, { state: string; context: PixPaymentContext }>;

const direct = (destinationAmountMinor: number, sourceAmountMinor = HOME_DEBIT) =>
  ({ type: 'direct.completed', sourceAmountMinor, destinationAmountMinor }) as const;
const leg1 = (sourceAmountMinor: number) =>
  ({ type: 'leg1.completed', sourceAmountMinor, destinationAmountMinor: USDC_DELIVERED }) as const;
const leg2 = (destinationAmountMinor: number, sourceAmountMinor = LEG_2_SOURCE) =>
  ({ type: 'leg2.completed', sourceAmountMinor, destinationAmountMinor }) as const;
const reversal = (destinationAmountMinor: number) =>
  ({ type: 'reverse.completed', sourceAmountMinor: REVERSE_SOURCE, destinationAmountMinor }) as const;
const exactly = { amountMinor: AMOUNT_BRL, currency: 'BRL' } as const;
const short = { ...exactly, amountMinor: AMOUNT_BRL - 1 } as const;
const over = { ...exactly, amountMinor: AMOUNT_BRL + 1 } as const;
const inPounds = { ...exactly, currency: 'GBP' } as const;
const payoutFailure = (attempt: number, paid: typeof exactly | typeof short | typeof inPounds = exactly) =>
  ({ type: 'off-ramp.failed', attempt, attempted: true, reason: 'payout_failed', ...paid }) as const;
const notMade = (attempt: number) =>
  ({ type: 'off-ramp.failed', attempt, attempted: false, reason: 'payout_failed' }) as const;

const events = {
  confirmed: { type: 'confirmed' },
  adopted: { type: 'adopted' },
  'direct.completed': direct(AMOUNT_BRL),
  'direct.completed, one short': direct(AMOUNT_BRL - 1),
  'direct.completed, one over': direct(AMOUNT_BRL + 1),
  'direct.completed for less': direct(AMOUNT_BRL, HOME_DEBIT - 1),
  'direct.completed for more': direct(AMOUNT_BRL, HOME_DEBIT + 1),
  'direct.failed': { type: 'direct.failed', reason: 'conversion_failed' },
  'leg1.completed': leg1(HOME_DEBIT),
  'leg1.completed for less': leg1(HOME_DEBIT - 1),
  'leg1.completed for more': leg1(HOME_DEBIT + 1),
  'leg1.failed': { type: 'leg1.failed', reason: 'insufficient_funds' },
  'leg2.completed': leg2(AMOUNT_BRL),
  'leg2.completed, one short': leg2(AMOUNT_BRL - 1),
  'leg2.completed, one over': leg2(AMOUNT_BRL + 1),
  'leg2.completed for more than there was': leg2(AMOUNT_BRL, USDC_DELIVERED + 1),
  'leg2.failed': { type: 'leg2.failed', reason: 'conversion_failed' },
  'reverse.completed': reversal(HOME_DEBIT),
  'reverse.completed, one short': reversal(HOME_DEBIT - 1),
  'reverse.completed, one over': reversal(HOME_DEBIT + 1),
  'reverse.failed': { type: 'reverse.failed', reason: 'conversion_failed' },
  'off-ramp.completed': { type: 'off-ramp.completed', ...receipt, ...exactly },
  'off-ramp.completed, one short': { type: 'off-ramp.completed', ...receipt, ...short },
  'off-ramp.completed, one over': { type: 'off-ramp.completed', ...receipt, ...over },
  'off-ramp.completed in pounds': { type: 'off-ramp.completed', ...receipt, ...inPounds },
  'off-ramp.failed, attempt 1': payoutFailure(1),
  'off-ramp.failed, attempt 2': payoutFailure(2),
  'off-ramp.failed, attempt 2, one short': payoutFailure(2, short),
  'off-ramp.failed, attempt 2, in pounds': payoutFailure(2, inPounds),
  'off-ramp.failed, attempt 1 not made': notMade(1),
  'off-ramp.failed, attempt 2 not made': notMade(2),
  'off-ramp.refunded': { type: 'off-ramp.refunded', ...exactly },
  'off-ramp.refunded, one short': { type: 'off-ramp.refunded', ...short },
  'off-ramp.refunded in pounds': { type: 'off-ramp.refunded', ...inPounds },
  retry: { type: 'retry' },
  'reviewed.completed': { type: 'reviewed.completed' },
  'reviewed.manual_review': { type: 'reviewed.manual_review' },
} as const satisfies Record<string, PixPaymentEvent>;

type Situation = keyof typeof situations;
type Name = keyof typeof events;

const wrongAmount = { failure: 'amount_mismatch' } as const;
const underReview = { failure: 'under_review' } as const;
const returned = { failure: 'payout_returned' } as const;
const payoutFailed = { failure: 'payout_failed' } as const;

const heldIn = (situation: Situation) =>
  [situation, 'reviewed.manual_review', 'manual_review', [], underReview] as const;

const accepted: readonly Accepted<typeof pixPaymentMachine, Situation, Name>[] = [
  ['quoted in one hop', 'confirmed', 'converting.direct', ['startConversion:direct']],
  ['quoted in two', 'confirmed', 'converting.leg1', ['startConversion:leg1']],
  ['quoted in one hop', 'adopted', 'manual_review', [], underReview],
  ['quoted in two', 'adopted', 'manual_review', [], underReview],

  ['converting.direct', 'direct.completed', 'paying', ['startPayout'], { payoutAttempt: 1 }],
  ['converting.direct', 'direct.completed, one short', 'manual_review', [], wrongAmount],
  ['converting.direct', 'direct.completed, one over', 'manual_review', [], wrongAmount],
  ['converting.direct', 'direct.completed for less', 'paying', ['startPayout'], { payoutAttempt: 1 }],
  ['converting.direct', 'direct.completed for more', 'manual_review', [], wrongAmount],
  ['converting.direct', 'direct.failed', 'failed', [], { failure: 'conversion_failed' }],

  [
    'converting.leg1',
    'leg1.completed',
    'converting.leg2',
    ['startConversion:leg2'],
    { homeDebitMinor: HOME_DEBIT, usdcDeliveredMinor: USDC_DELIVERED },
  ],
  [
    'converting.leg1',
    'leg1.completed for less',
    'converting.leg2',
    ['startConversion:leg2'],
    { homeDebitMinor: HOME_DEBIT - 1, usdcDeliveredMinor: USDC_DELIVERED },
  ],
  [
    'converting.leg1',
    'leg1.completed for more',
    'manual_review',
    [],
    { ...wrongAmount, homeDebitMinor: HOME_DEBIT + 1, usdcDeliveredMinor: USDC_DELIVERED },
  ],
  ['converting.leg1', 'leg1.failed', 'failed', [], { failure: 'insufficient_funds' }],

  [
    'converting.leg2',
    'leg2.completed',
    'paying',
    ['startPayout'],
    { payoutAttempt: 1, usdcResidualMinor: USDC_DELIVERED - LEG_2_SOURCE },
  ],
  ['converting.leg2', 'leg2.completed, one short', 'manual_review', [], wrongAmount],
  ['converting.leg2', 'leg2.completed, one over', 'manual_review', [], wrongAmount],
  [
    'converting.leg2',
    'leg2.completed for more than there was',
    'paying',
    ['startPayout'],
    { payoutAttempt: 1, usdcResidualMinor: -1 },
  ],
  ['converting.leg2', 'leg2.failed', 'refunding', ['startConversion:reverse']],

  ['paying', 'off-ramp.completed', 'completed', [], receipt],
  ['paying', 'off-ramp.failed, attempt 1', 'payout_failed', [], payoutFailed],
  ['paying', 'off-ramp.failed, attempt 2', 'payout_failed', [], { ...payoutFailed, payoutAttempt: 2 }],
  [
    'paying',
    'off-ramp.failed, attempt 1 not made',
    'payout_failed',
    [],
    { ...payoutFailed, payoutAttempt: 0 },
  ],
  ['paying', 'off-ramp.failed, attempt 2 not made', 'payout_failed', [], payoutFailed],
  ['paying', 'off-ramp.refunded', 'manual_review', [], returned],

  ['paying again', 'off-ramp.completed', 'completed', [], receipt],
  ['paying again', 'off-ramp.failed, attempt 2', 'payout_failed', [], payoutFailed],
  [
    'paying again',
    'off-ramp.failed, attempt 2 not made',
    'payout_failed',
    [],
    { ...payoutFailed, payoutAttempt: 1 },
  ],
  ['paying again', 'off-ramp.refunded', 'manual_review', [], returned],

  ['payout_failed', 'retry', 'paying', ['startPayout'], { payoutAttempt: 2, failure: null }],
  ['payout_failed', 'off-ramp.completed', 'completed', [], { ...receipt, failure: null }],
  ['payout_failed', 'off-ramp.refunded', 'manual_review', [], returned],

  ['payout never made', 'retry', 'paying', ['startPayout'], { payoutAttempt: 1, failure: null }],
  ['payout never made', 'off-ramp.completed', 'completed', [], { ...receipt, failure: null }],
  ['payout never made', 'off-ramp.refunded', 'manual_review', [], returned],

  ['completed', 'off-ramp.refunded', 'manual_review', [], returned],

  heldIn('converting.direct'),
  heldIn('converting.leg1'),
  heldIn('converting.leg2'),
  heldIn('refunding'),
  heldIn('paying'),
  heldIn('paying again'),
  heldIn('payout_failed'),
  heldIn('payout never made'),
  ['paying', 'reviewed.completed', 'completed', []],
  ['paying again', 'reviewed.completed', 'completed', []],
  ['payout_failed', 'reviewed.completed', 'completed', [], { failure: null }],
  ['payout never made', 'reviewed.completed', 'completed', [], { failure: null }],

  [
    'refunding',
    'reverse.completed',
    'refunded',
    [],
    { failure: 'refunded', usdcResidualMinor: USDC_DELIVERED - REVERSE_SOURCE },
  ],
  ['refunding', 'reverse.completed, one short', 'manual_review', [], underReview],
  ['refunding', 'reverse.completed, one over', 'manual_review', [], underReview],
  ['refunding', 'reverse.failed', 'manual_review', [], underReview],
  ['refunding', 'leg2.completed', 'manual_review', [], underReview],
  ['refunding', 'leg2.completed, one short', 'manual_review', [], underReview],
  ['refunding', 'leg2.completed, one over', 'manual_review', [], underReview],
  ['refunding', 'leg2.completed for more than there was', 'manual_review', [], underReview],
];

const ofDirect = [
  'direct.completed',
  'direct.completed, one short',
  'direct.completed, one over',
  'direct.completed for less',
  'direct.completed for more',
  'direct.failed',
] as const;
const ofLeg1 = [
  'leg1.completed',
  'leg1.completed for less',
  'leg1.completed for more',
  'leg1.failed',
] as const;
const ofLeg2 = [
  'leg2.completed',
  'leg2.completed, one short',
  'leg2.completed, one over',
  'leg2.completed for more than there was',
  'leg2.failed',
] as const;
const ofReverse = [
  'reverse.completed',
  'reverse.completed, one short',
  'reverse.completed, one over',
  'reverse.failed',
] as const;
const conversions = [...ofDirect, ...ofLeg1, ...ofLeg2, ...ofReverse] as const;
/** Reports of a payout that was not ordered like this. They are refused in every state. */
const notAsOrdered = [
  'off-ramp.completed, one short',
  'off-ramp.completed, one over',
  'off-ramp.completed in pounds',
  'off-ramp.failed, attempt 2, one short',
  'off-ramp.failed, attempt 2, in pounds',
  'off-ramp.refunded, one short',
  'off-ramp.refunded in pounds',
] as const;
const payoutFailures = [
  'off-ramp.failed, attempt 1',
  'off-ramp.failed, attempt 2',
  'off-ramp.failed, attempt 1 not made',
  'off-ramp.failed, attempt 2 not made',
] as const;
const payouts = ['off-ramp.completed', ...payoutFailures, 'off-ramp.refunded', ...notAsOrdered] as const;
const reviewed = ['reviewed.completed', 'reviewed.manual_review'] as const;
const everything = ['confirmed', 'adopted', ...conversions, ...payouts, 'retry', ...reviewed] as const;

const refused: Record<Situation, readonly Name[]> = {
  'quoted in one hop': [...conversions, ...payouts, 'retry', ...reviewed],
  'quoted in two': [...conversions, ...payouts, 'retry', ...reviewed],
  'converting.direct': [
    'confirmed',
    'adopted',
    ...ofLeg1,
    ...ofLeg2,
    ...ofReverse,
    ...payouts,
    'retry',
    'reviewed.completed',
  ],
  'converting.leg1': [
    'confirmed',
    'adopted',
    ...ofDirect,
    ...ofLeg2,
    ...ofReverse,
    ...payouts,
    'retry',
    'reviewed.completed',
  ],
  'converting.leg2': [
    'confirmed',
    'adopted',
    ...ofDirect,
    ...ofLeg1,
    ...ofReverse,
    ...payouts,
    'retry',
    'reviewed.completed',
  ],
  paying: ['confirmed', 'adopted', ...conversions, ...notAsOrdered, 'retry'],
  'paying again': [
    'confirmed',
    'adopted',
    ...conversions,
    ...notAsOrdered,
    'off-ramp.failed, attempt 1',
    'off-ramp.failed, attempt 1 not made',
    'retry',
  ],
  payout_failed: ['confirmed', 'adopted', ...conversions, ...notAsOrdered, ...payoutFailures],
  'payout never made': ['confirmed', 'adopted', ...conversions, ...notAsOrdered, ...payoutFailures],
  completed: [
    'confirmed',
    'adopted',
    ...conversions,
    ...notAsOrdered,
    'off-ramp.completed',
    ...payoutFailures,
    'retry',
    ...reviewed,
  ],
  refunding: [
    'confirmed',
    'adopted',
    ...ofDirect,
    ...ofLeg1,
    'leg2.failed',
    ...payouts,
    'retry',
    'reviewed.completed',
  ],
  refunded: everything,
  manual_review: everything,
  failed: everything,
  conversion_failed: everything,
};

decidesAs({
  machine: pixPaymentMachine,
  invariants: pixPaymentInvariants,
  situations,
  events,
  accepted,
  refused,
});

test('a PIX payment can reach every state except conversion_failed, which exists only in the contract', () => {
  const inputs = (['direct', 'two_hop'] as const).map((flow) => ({
    flow,
    quotedSourceMinor: HOME_DEBIT,
    amountBrlMinor: AMOUNT_BRL,
  }));
  const reached = reachableFrom(pixPaymentMachine, inputs, events);
  expect(reached.has('conversion_failed')).toBe(false);
  expect(reached.add('conversion_failed')).toEqual(new Set(leafStatesOf(pixPaymentMachine)));
});

test('a PIX payment leaves a final state only when a payout is returned', () => {
  const ends = new Set(['completed', 'refunded', 'manual_review', 'failed', 'conversion_failed']);
  const ways = arrowsOf(pixPaymentMachine).filter(({ from }) => ends.has(from));
  expect(ways.map(({ from, event, to }) => [from, event, to])).toEqual([
    ['completed', 'off-ramp.refunded', 'manual_review'],
  ]);
});
