// Every fault, in one table: its sentence, the seam at which it is applied, the calls that it can be requested for, and its
// parameters. Configuration, requests, counters, the page and the README read it. A seam is a file of this folder.
import { CURRENCIES } from '../money.ts';
import { REFERENCES } from '../options.ts';
import { ERROR_CODES } from '../provider/refusal.ts';

/** The moment at which a fault changes what the provider does. */
export type Seam =
  | 'request received'
  | 'resource changed'
  | 'outcome decided'
  | 'reply sent'
  | 'callback sent';

export interface Fault {
  sentence: string;
  seam: Seam;
  /** The operations that it affects. All operations if it names none. */
  operations?: readonly string[];
  /** The numbers that the configuration sets, and that a request may set for one call. */
  parameters?: readonly string[];
  /** What else a request may choose, with the name of its rule. */
  details?: Record<string, keyof typeof DETAIL_RULES>;
}

const CREATIONS = ['createOwner', 'createAccount', 'createInternalTransfer', 'createPayout'] as const;
const PAYMENTS = ['createInternalTransfer', 'createPayout'] as const;
/** Calls that create something, or move money. */
const WRITES = [...CREATIONS, 'createQuote', 'reissuePayout', 'restartOwner'] as const;
const GETS = ['getOwner', 'getAccount', 'getInternalTransfer', 'getPayout'] as const;
/** Calls that find resources by their handle, or list them. */
const LOOKUPS = ['findOwners', 'findAccounts', 'findInternalTransfers', 'findPayouts'] as const;
const READS = [...GETS, ...LOOKUPS, 'listMovements', 'getMovement'] as const;

/** Names for the README. */
export const OPERATIONS: Record<string, readonly string[]> = {
  creations: CREATIONS,
  payments: PAYMENTS,
  writes: WRITES,
  GETs: GETS,
  'look-ups': LOOKUPS,
  reads: READS,
};

export const FAULTS = {
  replies: {
    dropped: { sentence: 'the work is done, and the connection closes without a byte', seam: 'reply sent' },
    reset: { sentence: 'the work is done, and the connection is reset', seam: 'reply sent' },
    error500: { sentence: '500, and nothing is done', seam: 'request received' },
    error503: {
      sentence: '503, and nothing is done; half of them have a `Retry-After`',
      seam: 'request received',
      parameters: ['retryAfterSeconds'],
    },
    hang: { sentence: 'the work is done, and no answer arrives', seam: 'reply sent' },
    drip: {
      sentence: 'the work is done, and the correct answer arrives at ten bytes a second',
      seam: 'reply sent',
    },
    broken: {
      sentence: 'the work is done, and the answer is the first half of the correct one',
      seam: 'reply sent',
    },
    error429: {
      sentence: '429, and nothing is done; half of them have a `Retry-After`',
      seam: 'request received',
      parameters: ['retryAfterSeconds'],
    },
    redirect: {
      sentence: '307 to an address that does not answer, and nothing is done',
      seam: 'request received',
    },
  },
  callbacks: {
    lost: { sentence: 'never sent', seam: 'callback sent' },
    duplicated: {
      sentence: 'sent twice at the same time; if it is also `delayed`, once immediately and once late',
      seam: 'callback sent',
    },
    delayed: { sentence: 'sent late', seam: 'callback sent', parameters: ['delayedMs'] },
    reordered: {
      sentence:
        'waits until a later one was delivered, at most two seconds; only one callback waits at a time',
      seam: 'callback sent',
    },
    early: {
      sentence:
        'arrives before the reply to the call that caused it; the reply waits at most two seconds for it',
      seam: 'reply sent',
    },
  },
  business: {
    shortByOne: {
      sentence:
        'a conversion into BRL delivers one centavo more or less than quoted, and the exchange bears the difference',
      seam: 'outcome decided',
    },
    refundedLater: {
      sentence: 'a payout is COMPLETED, and REFUNDED a little later',
      seam: 'outcome decided',
    },
    completedLate: {
      sentence:
        'a payout is FAILED, and COMPLETED a little later; it is debited again if the account covers it',
      seam: 'outcome decided',
    },
    expiredQuote: {
      sentence: 'a quote has expired, although its `expires_at` is a minute away',
      seam: 'reply sent',
    },
    slowAccount: {
      sentence: 'an account stays PROVISIONING for longer',
      seam: 'reply sent',
      parameters: ['slowAccountMs'],
    },
    failedTransfer: { sentence: 'a conversion is FAILED', seam: 'outcome decided' },
    failedPayout: { sentence: 'an attempt at a payout is FAILED', seam: 'outcome decided' },
  },
  provider: {
    receivedLate: {
      sentence:
        'the connection breaks without an answer; the request arrives later and is decided by the quotes and balances of that time',
      seam: 'request received',
      operations: WRITES,
      parameters: ['lateMs'],
    },
    forgottenHandle: {
      sentence:
        'a repeated creation makes a twin with another uuid, and another end-to-end id for a payout; it debits and pays like the first',
      seam: 'request received',
      operations: CREATIONS,
    },
    unfundedTwin: {
      sentence:
        'the twin of a payout is paid although the balance does not cover it, and `shortfall` bears the rest; without this fault it gets 422',
      seam: 'request received',
      operations: ['createPayout'],
    },
    wrongQuote: {
      sentence:
        'a quote has another destination amount, source currency or destination currency than requested, or a source amount of 0.00; a conversion at it moves these amounts',
      seam: 'resource changed',
      operations: ['createQuote'],
      details: {
        source_currency: 'currency',
        source_amount: 'amount',
        destination_currency: 'currency',
        destination_amount: 'amount',
      },
    },
    wrongDebit: {
      sentence: 'a conversion debits up to a tenth more or less than quoted',
      seam: 'resource changed',
      operations: ['createInternalTransfer'],
      details: { source_amount: 'amount' },
    },
    wrongDelivery: {
      sentence: 'a conversion delivers up to a tenth more or less than quoted',
      seam: 'resource changed',
      operations: ['createInternalTransfer'],
      details: { destination_amount: 'amount' },
    },
    wrongPayout: {
      sentence: 'a payout debits and pays up to a tenth more or less than requested',
      seam: 'resource changed',
      operations: ['createPayout'],
      details: { amount: 'amount' },
    },
    misreported: {
      sentence:
        'answers and callbacks report another amount or currency for a conversion or payout; the money moved correctly',
      seam: 'resource changed',
      operations: PAYMENTS,
      details: {
        amount: 'amount',
        currency: 'currency',
        source_amount: 'amount',
        destination_amount: 'amount',
      },
    },
    vanished: {
      sentence: 'a GET by uuid answers 404 for a while; then the resource is back in its current state',
      seam: 'request received',
      operations: GETS,
      parameters: ['vanishedForMs'],
    },
    vanishedHandle: {
      sentence:
        'look-ups by handle and lists omit the vanished resource as well, and a repeated creation makes a twin',
      seam: 'request received',
      operations: GETS,
    },
    coarseClock: {
      sentence:
        'every `updated_at` of the resource is truncated, so that PENDING and COMPLETED can have the same',
      seam: 'resource changed',
      operations: CREATIONS,
      parameters: ['coarseClockMs'],
    },
    jumpingClock: {
      sentence:
        'after the creation the clock steps back for a while: changes in this time get an `updated_at` before the last one',
      seam: 'resource changed',
      operations: CREATIONS,
      parameters: ['jumpBackMs', 'jumpForMs'],
    },
    laggingRead: {
      sentence:
        'a GET shows former states, balances and existing objects; a look-up by handle still shows every write that was answered before it',
      seam: 'reply sent',
      operations: READS,
      parameters: ['lagMs'],
    },
    laggingLookup: {
      sentence: 'a look-up by handle shows a former state, even if a write was answered',
      seam: 'reply sent',
      operations: LOOKUPS,
      parameters: ['lagMs'],
    },
    unseenWrite: {
      sentence: 'a look-up by handle does not show an unanswered write for a while',
      seam: 'reply sent',
      operations: LOOKUPS,
      parameters: ['unseenForMs'],
    },
    unreadable: {
      sentence:
        'lists show the object with a status that the contract does not have; a GET by uuid or handle shows it correctly',
      seam: 'resource changed',
      operations: PAYMENTS,
    },
    otherReferences: {
      sentence:
        'the movements of the resource name it by its uuid, not at all, or in mixed ways: `source_reference` has the handle by default, and the contract allows all of these',
      seam: 'resource changed',
      operations: PAYMENTS,
      details: { references: 'references' },
    },
    longQuote: {
      sentence: 'a quote claims to live long, and lives a minute',
      seam: 'reply sent',
      operations: ['createQuote'],
      parameters: ['longQuoteMs'],
    },
    refused: {
      sentence: 'a valid call gets 422 `rejected`, or the requested code; nothing is done',
      seam: 'request received',
      operations: WRITES,
      details: { code: 'code' },
    },
    limitedOperation: {
      sentence: 'the operation answers 429 with `Retry-After` for a while; other operations are not affected',
      seam: 'request received',
      parameters: ['limitedForSeconds'],
    },
    hangingRail: {
      sentence: 'for a while, creations of payouts of that rail are done and answered late',
      seam: 'request received',
      operations: ['createPayout'],
      parameters: ['railDelayMs', 'railHangsForMs'],
    },
  },
} as const satisfies Record<string, Record<string, Fault>>;

const HOUR_MS = 3_600_000;

/** The parameters of each group, with their default and their maximum. The clock's parameters belong to no fault: they always apply. */
export const PARAMETERS = {
  replies: {
    retryAfterSeconds: {
      meaning: 'what error503 and error429 ask for, in seconds',
      otherwise: 1,
      most: 3600,
    },
  },
  callbacks: {
    delayedMs: { meaning: 'how late delayed ones are at most, in ms', otherwise: 3000, most: HOUR_MS },
  },
  business: {
    slowAccountMs: { meaning: 'how long slow accounts take, in ms', otherwise: 10_000, most: HOUR_MS },
  },
  provider: {
    lateMs: { meaning: 'how late requests are received at most, in ms', otherwise: 90_000, most: HOUR_MS },
    coarseClockMs: { meaning: 'what a coarse clock counts in, in ms', otherwise: 1000, most: HOUR_MS },
    jumpBackMs: { meaning: 'how far a jumping clock steps back, in ms', otherwise: 5000, most: HOUR_MS },
    jumpForMs: { meaning: 'how long until it is right again, in ms', otherwise: 10_000, most: HOUR_MS },
    clockAheadMs: { meaning: 'how far the clock is ahead, always, in ms', otherwise: 0, most: HOUR_MS },
    clockBehindMs: { meaning: 'how far the clock is behind, always, in ms', otherwise: 0, most: HOUR_MS },
    lagMs: { meaning: 'how old what reads show is at most, in ms', otherwise: 5000, most: 60_000 },
    unseenForMs: { meaning: 'how long an unanswered write is unseen, in ms', otherwise: 5000, most: 60_000 },
    longQuoteMs: {
      meaning: 'how long long quotes say they live, in ms',
      otherwise: HOUR_MS,
      most: 24 * HOUR_MS,
    },
    limitedForSeconds: {
      meaning: 'how long an operation is limited, in seconds',
      otherwise: 600,
      most: 3600,
    },
    railDelayMs: { meaning: 'how late a hanging rail answers, in ms', otherwise: 10_000, most: 600_000 },
    railHangsForMs: { meaning: 'how long a rail hangs, in ms', otherwise: 60_000, most: HOUR_MS },
    vanishedForMs: { meaning: 'how long things vanish, in ms', otherwise: 30_000, most: HOUR_MS },
  },
} as const;

export type Group = keyof typeof FAULTS;
export type ReplyFault = keyof (typeof FAULTS)['replies'];
export type BusinessFault = keyof (typeof FAULTS)['business'];
export type ProviderFault = keyof (typeof FAULTS)['provider'];
export type ProviderParameter = keyof (typeof PARAMETERS)['provider'];

/** A fault with its group, which is the name of its counter. */
export type Kind = { [G in Group]: `${G}.${keyof (typeof FAULTS)[G] & string}` }[Group];

export const GROUPS = Object.keys(FAULTS) as Group[];
export const REPLY_FAULTS = Object.keys(FAULTS.replies) as ReplyFault[];
export const PROVIDER_FAULTS = Object.keys(FAULTS.provider) as ProviderFault[];

export const faultNamed = (name: ProviderFault): Fault => FAULTS.provider[name];
export const ALL_KINDS = GROUPS.flatMap((group) =>
  Object.keys(FAULTS[group]).map((name) => `${group}.${name}` as Kind),
);

/** The details of a requested fault, by name. */
export type FaultDetails = Record<string, string | number>;

const isOneOf = (values: readonly string[]) => ({
  isFit: (value: unknown) => values.some((one) => one === value),
  rule: `one of ${values.join(', ')}`,
});
const DETAIL_RULES = {
  code: isOneOf(ERROR_CODES),
  references: isOneOf(REFERENCES),
  currency: isOneOf(CURRENCIES),
  amount: {
    isFit: (value: unknown) => typeof value === 'string' && /^\d{1,12}\.(\d{2}|\d{6})$/.test(value),
    rule: 'decimal text with two places, or six',
  },
};

/** Returns whether the value is a whole number, and not too large. */
export const isWhole = (value: unknown, most: number, least = 0): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;

/** @returns a sentence for each detail that cannot be used. */
export function blameDetails(fault: ProviderFault | undefined, details: unknown): string[] {
  if (typeof details !== 'object' || details === null || Array.isArray(details))
    return ['details must be a JSON object'];
  return Object.entries(details).flatMap(([name, value]) => {
    const { isFit, rule } = ruleOf(fault, name) ?? {};
    if (!isFit) return [`details.${name.slice(0, 60)} is not known here`];
    return isFit(value) ? [] : [`details.${name} must be ${rule}`];
  });
}

function ruleOf(fault: ProviderFault | undefined, name: string) {
  const { parameters = [], details = {} } = fault ? faultNamed(fault) : ({} as Partial<Fault>);
  if (details[name]) return DETAIL_RULES[details[name]];
  if (!parameters.includes(name)) return undefined;
  const { most } = PARAMETERS.provider[name as ProviderParameter];
  return { isFit: (value: unknown) => isWhole(value, most), rule: `a whole number from 0 to ${most}` };
}
