// The decisions about every event in every state of a PIX payment.
import { pixPaymentInvariants } from '../../machines/pix-payment.invariants.ts';
import {
  type PixPaymentContext,
  type PixPaymentEvent,
  pixPaymentMachine,
} from '../../machines/pix-payment.machine.ts';
import { type Accepted, decisionsOf } from './decision-table.ts';

export const AMOUNT_BRL = 25_000;
export const HOME_DEBIT = 4_300;
const USDC_DELIVERED = 45_000_000;
const LEG_2_SOURCE = 44_600_000;
const REVERSE_SOURCE = 44_900_000;
const RETURN_SOURCE = 24_900;
const CAP_BPS = 100;

const quoted: PixPaymentContext = {
  flow: 'direct',
  quotedSourceMinor: HOME_DEBIT,
  amountBrlMinor: AMOUNT_BRL,
  homeDebitMinor: null,
  usdcDeliveredMinor: null,
  usdcResidualMinor: null,
  brlResidualMinor: null,
  returnCapBps: null,
  payoutAttempt: 0,
  endToEndId: null,
  voucherId: null,
  failure: null,
  payoutFailure: null,
  settlement: null,
};
const twoHop: PixPaymentContext = { ...quoted, flow: 'two_hop' };
const delivered = { ...twoHop, homeDebitMinor: HOME_DEBIT, usdcDeliveredMinor: USDC_DELIVERED };
const paying = { ...quoted, payoutAttempt: 1 };
const returning = { ...paying, homeDebitMinor: HOME_DEBIT, returnCapBps: CAP_BPS };
const settlement = { amountMinor: HOME_DEBIT, currency: 'GBP', at: new Date(0) } as const;
const receipt = { endToEndId: 'E2E', voucherId: 'V1' };

const atNight = { code: 'limit_reached', limit: 'night', retryFrom: new Date(0) } as const;
const unknownKey = { code: 'recipient_unknown', limit: null, retryFrom: null } as const;

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
  'payout failed in two': {
    state: 'payout_failed',
    context: {
      ...delivered,
      usdcResidualMinor: 400_000,
      payoutAttempt: 1,
      failure: 'recipient_unknown',
      payoutFailure: unknownKey,
    },
  },
  returning: { state: 'refunding', context: returning },
  'returning in two': {
    state: 'refunding',
    context: { ...delivered, usdcResidualMinor: 400_000, payoutAttempt: 0, returnCapBps: CAP_BPS },
  },
  returned: {
    state: 'refunded',
    context: { ...returning, brlResidualMinor: AMOUNT_BRL - RETURN_SOURCE, failure: 'refunded' },
  },
  completed: { state: 'completed', context: { ...paying, ...receipt } },
  refunding: { state: 'refunding', context: delivered },
  refunded: { state: 'refunded', context: { ...delivered, failure: 'refunded' } },
  manual_review: { state: 'manual_review', context: { ...delivered, failure: 'under_review' } },
  settled: { state: 'manual_review', context: { ...delivered, failure: 'under_review', settlement } },
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
const back = (destinationAmountMinor: number, sourceAmountMinor = RETURN_SOURCE) =>
  ({ type: 'return.completed', sourceAmountMinor, destinationAmountMinor }) as const;
const returnOf = (homeDebitMinor: number) =>
  ({ type: 'return.requested', homeDebitMinor, capBps: CAP_BPS }) as const;
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
  'return.requested': returnOf(HOME_DEBIT),
  'return.requested for less': returnOf(HOME_DEBIT - 1),
  'return.requested for more': returnOf(HOME_DEBIT + 1),
  'return.requested for nothing': returnOf(0),
  'return.completed': back(HOME_DEBIT),
  'return.completed, one short': back(HOME_DEBIT - 1),
  'return.completed, one over': back(HOME_DEBIT + 1),
  'return.completed for more than there was': back(HOME_DEBIT, AMOUNT_BRL + 1),
  'return.failed': { type: 'return.failed', reason: 'conversion_failed' },
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
  'off-ramp.failed, unknown recipient': {
    ...payoutFailure(1),
    reason: 'recipient_unknown',
    payoutFailure: unknownKey,
  },
  'off-ramp.failed, limit at night': { ...payoutFailure(2), payoutFailure: atNight },
  settled: { type: 'settled', ...settlement },
  'settled for nothing': { type: 'settled', ...settlement, amountMinor: 0 },
} as const satisfies Record<string, PixPaymentEvent>;

type Situation = keyof typeof situations;
type Name = keyof typeof events;

const wrongAmount = { failure: 'amount_mismatch' } as const;
const underReview = { failure: 'under_review', payoutFailure: null } as const;
const returned = { failure: 'payout_returned', payoutFailure: null } as const;
const noFailure = { failure: null, payoutFailure: null } as const;
const payoutFailed = { failure: 'payout_failed' } as const;

const debited = { homeDebitMinor: HOME_DEBIT } as const;
const returnBegun = { ...debited, returnCapBps: CAP_BPS, ...noFailure } as const;

const heldIn = (situation: Situation) =>
  [situation, 'reviewed.manual_review', 'manual_review', [], underReview] as const;

const accepted: readonly Accepted<typeof pixPaymentMachine, Situation, Name>[] = [
  ['quoted in one hop', 'confirmed', 'converting.direct', ['startConversion:direct']],
  ['quoted in two', 'confirmed', 'converting.leg1', ['startConversion:leg1']],
  ['quoted in one hop', 'adopted', 'manual_review', [], underReview],
  ['quoted in two', 'adopted', 'manual_review', [], underReview],

  ['converting.direct', 'direct.completed', 'paying', ['startPayout'], { payoutAttempt: 1, ...debited }],
  ['converting.direct', 'direct.completed, one short', 'manual_review', [], { ...wrongAmount, ...debited }],
  ['converting.direct', 'direct.completed, one over', 'manual_review', [], { ...wrongAmount, ...debited }],
  [
    'converting.direct',
    'direct.completed for less',
    'paying',
    ['startPayout'],
    { payoutAttempt: 1, homeDebitMinor: HOME_DEBIT - 1 },
  ],
  [
    'converting.direct',
    'direct.completed for more',
    'manual_review',
    [],
    { ...wrongAmount, homeDebitMinor: HOME_DEBIT + 1 },
  ],
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

  ['payout_failed', 'retry', 'paying', ['startPayout'], { payoutAttempt: 2, ...noFailure }],
  ['payout_failed', 'off-ramp.completed', 'completed', [], { ...receipt, ...noFailure }],
  ['payout_failed', 'off-ramp.refunded', 'manual_review', [], returned],

  ['payout never made', 'retry', 'paying', ['startPayout'], { payoutAttempt: 1, ...noFailure }],
  ['payout never made', 'off-ramp.completed', 'completed', [], { ...receipt, ...noFailure }],
  ['payout never made', 'off-ramp.refunded', 'manual_review', [], returned],

  ['completed', 'off-ramp.refunded', 'manual_review', [], returned],

  [
    'paying',
    'off-ramp.failed, unknown recipient',
    'payout_failed',
    [],
    { failure: 'recipient_unknown', payoutFailure: unknownKey },
  ],
  [
    'paying',
    'off-ramp.failed, limit at night',
    'payout_failed',
    [],
    { ...payoutFailed, payoutAttempt: 2, payoutFailure: atNight },
  ],
  [
    'paying again',
    'off-ramp.failed, limit at night',
    'payout_failed',
    [],
    { ...payoutFailed, payoutFailure: atNight },
  ],
  ['payout failed in two', 'retry', 'paying', ['startPayout'], { payoutAttempt: 2, ...noFailure }],
  ['payout failed in two', 'off-ramp.completed', 'completed', [], { ...receipt, ...noFailure }],
  ['payout failed in two', 'off-ramp.refunded', 'manual_review', [], returned],

  ['payout_failed', 'return.requested', 'refunding', ['startConversion:return'], returnBegun],
  [
    'payout_failed',
    'return.requested for less',
    'refunding',
    ['startConversion:return'],
    { ...returnBegun, homeDebitMinor: HOME_DEBIT - 1 },
  ],
  ['payout never made', 'return.requested', 'refunding', ['startConversion:return'], returnBegun],
  [
    'payout never made',
    'return.requested for less',
    'refunding',
    ['startConversion:return'],
    { ...returnBegun, homeDebitMinor: HOME_DEBIT - 1 },
  ],
  ['payout failed in two', 'return.requested', 'refunding', ['startConversion:return'], returnBegun],

  ...(['returning', 'returning in two'] as const).flatMap(
    (situation): Accepted<typeof pixPaymentMachine, Situation, Name>[] => [
      [
        situation,
        'return.completed',
        'refunded',
        [],
        { failure: 'refunded', brlResidualMinor: AMOUNT_BRL - RETURN_SOURCE },
      ],
      [
        situation,
        'return.completed for more than there was',
        'refunded',
        [],
        { failure: 'refunded', brlResidualMinor: -1 },
      ],
      [situation, 'return.completed, one short', 'manual_review', [], underReview],
      [situation, 'return.completed, one over', 'manual_review', [], underReview],
      [situation, 'return.failed', 'manual_review', [], underReview],
      [situation, 'off-ramp.completed', 'manual_review', [], { ...receipt, ...underReview }],
      [situation, 'off-ramp.refunded', 'manual_review', [], returned],
    ],
  ),

  ['manual_review', 'settled', 'manual_review', [], { settlement }],

  heldIn('converting.direct'),
  heldIn('converting.leg1'),
  heldIn('converting.leg2'),
  heldIn('refunding'),
  heldIn('returning'),
  heldIn('returning in two'),
  heldIn('payout failed in two'),
  heldIn('paying'),
  heldIn('paying again'),
  heldIn('payout_failed'),
  heldIn('payout never made'),
  ['paying', 'reviewed.completed', 'completed', []],
  ['paying again', 'reviewed.completed', 'completed', []],
  ['payout_failed', 'reviewed.completed', 'completed', [], noFailure],
  ['payout never made', 'reviewed.completed', 'completed', [], noFailure],
  ['payout failed in two', 'reviewed.completed', 'completed', [], noFailure],

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
const ofReturn = [
  'return.completed',
  'return.completed, one short',
  'return.completed, one over',
  'return.completed for more than there was',
  'return.failed',
] as const;
const conversions = [...ofDirect, ...ofLeg1, ...ofLeg2, ...ofReverse, ...ofReturn] as const;
/** Requests to return another amount than a debit can have been. They are refused in every state. */
const impossibleReturns = ['return.requested for more', 'return.requested for nothing'] as const;
const returnRequests = ['return.requested', 'return.requested for less', ...impossibleReturns] as const;
const settling = ['settled', 'settled for nothing'] as const;
/** The events that operators send. */
const requests = ['retry', ...returnRequests, ...settling] as const;
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
  'off-ramp.failed, unknown recipient',
  'off-ramp.failed, limit at night',
] as const;
const payouts = ['off-ramp.completed', ...payoutFailures, 'off-ramp.refunded', ...notAsOrdered] as const;
const reviewed = ['reviewed.completed', 'reviewed.manual_review'] as const;
const everything = ['confirmed', 'adopted', ...conversions, ...payouts, ...requests, ...reviewed] as const;

const notWhileReturning: readonly Name[] = [
  'confirmed',
  'adopted',
  ...ofDirect,
  ...ofLeg1,
  ...ofLeg2,
  ...ofReverse,
  ...notAsOrdered,
  ...payoutFailures,
  ...requests,
  'reviewed.completed',
];

const refused: Record<Situation, readonly Name[]> = {
  'quoted in one hop': [...conversions, ...payouts, ...requests, ...reviewed],
  'quoted in two': [...conversions, ...payouts, ...requests, ...reviewed],
  'converting.direct': [
    'confirmed',
    'adopted',
    ...ofLeg1,
    ...ofLeg2,
    ...ofReverse,
    ...ofReturn,
    ...payouts,
    ...requests,
    'reviewed.completed',
  ],
  'converting.leg1': [
    'confirmed',
    'adopted',
    ...ofDirect,
    ...ofLeg2,
    ...ofReverse,
    ...ofReturn,
    ...payouts,
    ...requests,
    'reviewed.completed',
  ],
  'converting.leg2': [
    'confirmed',
    'adopted',
    ...ofDirect,
    ...ofLeg1,
    ...ofReverse,
    ...ofReturn,
    ...payouts,
    ...requests,
    'reviewed.completed',
  ],
  paying: ['confirmed', 'adopted', ...conversions, ...notAsOrdered, ...requests],
  'paying again': [
    'confirmed',
    'adopted',
    ...conversions,
    ...notAsOrdered,
    'off-ramp.failed, attempt 1',
    'off-ramp.failed, attempt 1 not made',
    'off-ramp.failed, unknown recipient',
    ...requests,
  ],
  payout_failed: [
    'confirmed',
    'adopted',
    ...conversions,
    ...notAsOrdered,
    ...payoutFailures,
    ...impossibleReturns,
    ...settling,
  ],
  'payout never made': [
    'confirmed',
    'adopted',
    ...conversions,
    ...notAsOrdered,
    ...payoutFailures,
    ...impossibleReturns,
    ...settling,
  ],
  'payout failed in two': [
    'confirmed',
    'adopted',
    ...conversions,
    ...notAsOrdered,
    ...payoutFailures,
    'return.requested for less',
    ...impossibleReturns,
    ...settling,
  ],
  completed: [
    'confirmed',
    'adopted',
    ...conversions,
    ...notAsOrdered,
    'off-ramp.completed',
    ...payoutFailures,
    ...requests,
    ...reviewed,
  ],
  refunding: [
    'confirmed',
    'adopted',
    ...ofDirect,
    ...ofLeg1,
    'leg2.failed',
    ...ofReturn,
    ...payouts,
    ...requests,
    'reviewed.completed',
  ],
  returning: notWhileReturning,
  'returning in two': notWhileReturning,
  refunded: everything,
  returned: everything,
  manual_review: everything.filter((event) => event !== 'settled'),
  settled: everything,
  failed: everything,
  conversion_failed: everything,
};

export const decisions = decisionsOf({
  machine: pixPaymentMachine,
  invariants: pixPaymentInvariants,
  situations,
  events,
  accepted,
  refused,
});
