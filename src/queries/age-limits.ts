// How long a row may be in a state before an operator is alerted. A new state does not compile until it has its limit
// here; final states have none.
import { type MachineName, type StateOf } from '../../machines/machines.ts';
import { type Rail, rails } from '../domain/rails.ts';
import { type StateGroup, stateGroups } from '../sql/ages.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** In seconds; null where no age is a reason to alert. */
type Limit = number | null;
type Limits = { [Name in MachineName]: Record<StateOf<Name>, Limit | Record<Rail, number>> };

export const ageLimits: Limits = {
  kyc: {
    // It waits for the user, who may never come back to it.
    pending: null,
    // A refusal that may be overturned later, or never.
    failed: null,
    completed: null,
  },
  provider_account: { provisioning: 30 * MINUTE, active: null },
  pix_payment: {
    // No row stays in it: a payment is confirmed in the commit that makes it.
    quoted: 10 * MINUTE,
    // Normally seconds; a refusal is held for as long as the quote lives and 90 s more.
    'converting.direct': 10 * MINUTE,
    'converting.leg1': 10 * MINUTE,
    // It gives up by itself after 15 minutes.
    'converting.leg2': 20 * MINUTE,
    // PIX takes seconds, but banks hold single payments for checks, and a rail can be closed for maintenance: an hour
    // tells those apart from a payout that is not being carried out.
    paying: HOUR,
    // Two conversions' worth: a new quote, the transfer, and some tries while the provider is unreachable.
    refunding: 30 * MINUTE,
    // Its user can retry, and some never do; after a week support should contact them.
    payout_failed: 7 * DAY,
    // An operator is alerted immediately; once it is acknowledged, its age is no longer watched.
    manual_review: 0,
    completed: null,
    refunded: null,
    failed: null,
    conversion_failed: null,
  },
  withdraw: {
    settling: { FPS: twiceExpected('GBP'), SEPA: twiceExpected('EUR') },
    completed: null,
    failed: null,
  },
};

/** Banks are late at times; up to twice their time is not late. */
function twiceExpected(currency: keyof typeof rails): number {
  return 2 * rails[currency].expectedSettlementSeconds;
}

/** Rows that have one limit. */
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
