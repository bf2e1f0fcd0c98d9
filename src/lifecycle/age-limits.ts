// Defines how long a row may stay in a state before an operator is alerted. A new state does not compile until it has its
// limit here. Final states have none.
import { type MachineName, type StateOf } from '../../machines/machines.ts';
import { type Rail, rails } from '../domain/rails.ts';
import { oneBusinessDayBefore } from '../domain/target-calendar.ts';
import { type StateGroup, stateGroups } from '../tables/ages.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A limit in seconds; null if no age is a reason to alert. */
type Limit = number | null;
type Limits = { [Name in MachineName]: Record<StateOf<Name>, Limit | Record<Rail, number>> };

export const ageLimits: Limits = {
  kyc: {
    // The verification waits for the user, who may never continue it.
    pending: null,
    // The provider may overturn a failed verification later, or never.
    failed: null,
    completed: null,
  },
  provider_account: { provisioning: 30 * MINUTE, active: null },
  pix_payment: {
    // No row stays in this state: a payment is confirmed in the commit that creates it.
    quoted: 10 * MINUTE,
    // Normally seconds. A refusal stays pending for the life of the quote plus 90 s.
    'converting.direct': 10 * MINUTE,
    'converting.leg1': 10 * MINUTE,
    // The state ends by itself after 15 minutes.
    'converting.leg2': 20 * MINUTE,
    // PIX takes seconds, but banks hold single payments for checks, and a rail can be closed for maintenance. An hour distinguishes
    // these cases from a payout that is not running.
    paying: HOUR,
    // The time of two conversions: a new quote, the transfer, and some retries while the provider is unreachable.
    refunding: 30 * MINUTE,
    // The user can retry, and some users never do. After a week support should contact them.
    payout_failed: 7 * DAY,
    // An operator is alerted immediately. After the acknowledgement the payment's age is no longer watched.
    manual_review: 0,
    completed: null,
    refunded: null,
    failed: null,
    conversion_failed: null,
  },
  withdraw: {
    // SEPA counts business days only (`enteredUntil`).
    settling: { FPS: twiceExpected('GBP'), SEPA: twiceExpected('EUR') },
    completed: null,
    failed: null,
  },
  contestation: {
    // The request is repeated at every poll, at most an hour apart.
    requested: DAY,
    // The return mechanism gives banks weeks to examine a contestation.
    open: 30 * DAY,
    accepted: null,
    rejected: null,
    refused: null,
  },
  payout_refund: {
    // The money is the user's. An operator converts it within two days.
    waiting: 2 * DAY,
    // A conversion takes seconds. A refusal stays pending for the life of the quote plus 90 s.
    converting: 10 * MINUTE,
    converted: null,
    returned_whole: null,
  },
};

/** Returns twice the expected settlement time of a rail. Banks are sometimes late, and this much is still normal. */
function twiceExpected(currency: keyof typeof rails): number {
  return 2 * rails[currency].expectedSettlementSeconds;
}

export type AgeGroup = StateGroup & { limitSeconds: Limit };

/** Every unfinished state of every lifecycle, in the order of `stateGroups`. */
export const ageGroups: readonly AgeGroup[] = stateGroups.map((group) => ({
  ...group,
  limitSeconds: limitOf(group),
}));

function limitOf({ lifecycle, state, rail }: StateGroup): Limit {
  const limits: Partial<Record<StateOf, Limit | Record<Rail, number>>> = ageLimits[lifecycle];
  const limit = limits[state] ?? null;
  if (limit === null || typeof limit === 'number') return limit;
  return rail && limit[rail];
}

/**
 * Returns the time until which a row must have entered its state to exceed the group's limit now; null without a limit. SEPA rests on
 * weekends and holidays, so its two days are business days.
 */
export function enteredUntil({ rail, limitSeconds }: AgeGroup, now: Date): Date | null {
  if (limitSeconds === null) return null;
  if (rail === 'SEPA') return oneBusinessDayBefore(oneBusinessDayBefore(now));
  return new Date(now.getTime() - limitSeconds * 1_000);
}
