// Every fault, in one table: its sentence, the seam at which it is applied, the calls that it can be requested for, and its
// parameters. Configuration, requests, counters, the page and the README read it. A seam is a file of this folder.
import { CURRENCIES } from '../money.ts';
import { REFERENCES } from '../options.ts';
import { ERROR_CODES } from '../provider/refusal.ts';

/** The moment at which a fault changes what the provider does. */
type Seam = 'request received' | 'resource changed' | 'outcome decided' | 'reply sent' | 'callback sent';

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
export const OPERATION_SETS = {
  creations: CREATIONS,
  payments: PAYMENTS,
  writes: WRITES,
  GETs: GETS,
  'look-ups': LOOKUPS,
  reads: READS,
};

const at =
  (seam: Seam) =>
  (sentence: string, more: Omit<Fault, 'sentence' | 'seam'> = {}): Fault => ({ sentence, seam, ...more });
const request = at('request received');
const change = at('resource changed');
const outcome = at('outcome decided');
const reply = at('reply sent');
const callback = at('callback sent');

export const FAULTS = {
  replies: {
    dropped: reply('the work is done, and the connection closes without a byte'),
    reset: reply('the work is done, and the connection is reset'),
    error500: request('500, and nothing is done'),
    error503: request('503, and nothing is done; half of them have a `Retry-After`', {
      parameters: ['retryAfterSeconds'],
    }),
    hang: reply('the work is done, and no answer arrives'),
    drip: reply('the work is done, and the correct answer arrives at ten bytes a second'),
    broken: reply('the work is done, and the answer is the first half of the correct one'),
    error429: request('429, and nothing is done; half of them have a `Retry-After`', {
      parameters: ['retryAfterSeconds'],
    }),
    redirect: request('307 to an address that does not answer, and nothing is done'),
  },
  callbacks: {
    lost: callback('never sent'),
    duplicated: callback(
      'sent twice at the same time; if it is also `delayed`, once immediately and once late',
    ),
    delayed: callback('sent late', { parameters: ['delayedMs'] }),
    reordered: callback(
      'waits until a later one was delivered, at most two seconds; only one callback waits at a time',
    ),
    early: reply(
      'arrives before the reply to the call that caused it; the reply waits at most two seconds for it',
    ),
  },
  business: {
    shortByOne: outcome(
      'a conversion into BRL delivers one centavo more or less than quoted, and the exchange bears the difference',
    ),
    refundedLater: outcome('a payout is COMPLETED, and REFUNDED a little later'),
    completedLate: outcome(
      'a payout is FAILED, and COMPLETED a little later; it is debited again if the account covers it',
    ),
    expiredQuote: reply('a quote has expired, although its `expires_at` is a minute away'),
    slowAccount: reply('an account stays PROVISIONING for longer', { parameters: ['slowAccountMs'] }),
    failedTransfer: outcome('a conversion is FAILED'),
    failedPayout: outcome('an attempt at a payout is FAILED'),
  },
  provider: {
    receivedLate: request(
      'the connection breaks without an answer; the request arrives later and is decided by the quotes and balances of that time',
      { operations: WRITES, parameters: ['lateMs'] },
    ),
    forgottenHandle: request(
      'a repeated creation makes a twin with another uuid, and another end-to-end id for a payout; it debits and pays like the first',
      { operations: CREATIONS },
    ),
    unfundedTwin: request(
      'the twin of a payout is paid although the balance does not cover it, and `shortfall` bears the rest; without this fault it gets 422',
      { operations: ['createPayout'] },
    ),
    wrongQuote: change(
      'a quote has another destination amount, source currency or destination currency than requested, or a source amount of 0.00; a conversion at it moves these amounts',
      {
        operations: ['createQuote'],
        details: {
          source_currency: 'currency',
          source_amount: 'amount',
          destination_currency: 'currency',
          destination_amount: 'amount',
        },
      },
    ),
    wrongDebit: change('a conversion debits up to a tenth more or less than quoted', {
      operations: ['createInternalTransfer'],
      details: { source_amount: 'amount' },
    }),
    wrongDelivery: change('a conversion delivers up to a tenth more or less than quoted', {
      operations: ['createInternalTransfer'],
      details: { destination_amount: 'amount' },
    }),
    wrongPayout: change('a payout debits and pays up to a tenth more or less than requested', {
      operations: ['createPayout'],
      details: { amount: 'amount' },
    }),
    misreported: change(
      'answers and callbacks report another amount or currency for a conversion or payout; the money moved correctly',
      {
        operations: PAYMENTS,
        details: {
          amount: 'amount',
          currency: 'currency',
          source_amount: 'amount',
          destination_amount: 'amount',
        },
      },
    ),
    vanished: request(
      'a GET by uuid answers 404 for a while; then the resource is back in its current state',
      { operations: GETS, parameters: ['vanishedForMs'] },
    ),
    vanishedHandle: request(
      'look-ups by handle and lists omit the vanished resource as well, and a repeated creation makes a twin',
      { operations: GETS },
    ),
    coarseClock: change(
      'every `updated_at` of the resource is truncated, so that PENDING and COMPLETED can have the same',
      { operations: CREATIONS, parameters: ['coarseClockMs'] },
    ),
    jumpingClock: change(
      'after the creation the clock steps back for a while: changes in this time get an `updated_at` before the last one',
      { operations: CREATIONS, parameters: ['jumpBackMs', 'jumpForMs'] },
    ),
    laggingRead: reply(
      'a GET shows former states, balances and existing objects; a look-up by handle still shows every write that was answered before it',
      { operations: READS, parameters: ['lagMs'] },
    ),
    laggingLookup: reply('a look-up by handle shows a former state, even if a write was answered', {
      operations: LOOKUPS,
      parameters: ['lagMs'],
    }),
    unseenWrite: reply('a look-up by handle does not show an unanswered write for a while', {
      operations: LOOKUPS,
      parameters: ['unseenForMs'],
    }),
    unreadable: change(
      'lists show the object with a status that the contract does not have; a GET by uuid or handle shows it correctly',
      { operations: PAYMENTS },
    ),
    otherReferences: change(
      'the movements of the resource name it by its uuid, not at all, or in mixed ways: `source_reference` has the handle by default, and the contract allows all of these',
      { operations: PAYMENTS, details: { references: 'references' } },
    ),
    longQuote: reply('a quote claims to live long, and lives a minute', {
      operations: ['createQuote'],
      parameters: ['longQuoteMs'],
    }),
    refused: request('a valid call gets 422 `rejected`, or the requested code; nothing is done', {
      operations: WRITES,
      details: { code: 'code' },
    }),
    limitedOperation: request(
      'the operation answers 429 with `Retry-After` for a while; other operations are not affected',
      { parameters: ['limitedForSeconds'] },
    ),
    hangingRail: request('for a while, creations of payouts of that rail are done and answered late', {
      operations: ['createPayout'],
      parameters: ['railDelayMs', 'railHangsForMs'],
    }),
  },
};

const HOUR_MS = 3_600_000;

const number = (meaning: string, otherwise: number, max = HOUR_MS) => ({ meaning, otherwise, max });

/** The parameters of each group, with their default and their maximum. The clock's parameters belong to no fault: they always apply. */
export const PARAMETERS = {
  replies: {
    retryAfterSeconds: number('what error503 and error429 ask for, in seconds', 1, 3600),
  },
  callbacks: {
    delayedMs: number('how late delayed ones are at most, in ms', 3000),
  },
  business: {
    slowAccountMs: number('how long slow accounts take, in ms', 10_000),
  },
  provider: {
    lateMs: number('how late requests are received at most, in ms', 90_000),
    coarseClockMs: number('what a coarse clock counts in, in ms', 1000),
    jumpBackMs: number('how far a jumping clock steps back, in ms', 5000),
    jumpForMs: number('how long until it is right again, in ms', 10_000),
    clockAheadMs: number('how far the clock is ahead, always, in ms', 0),
    clockBehindMs: number('how far the clock is behind, always, in ms', 0),
    lagMs: number('how old what reads show is at most, in ms', 5000, 60_000),
    unseenForMs: number('how long an unanswered write is unseen, in ms', 5000, 60_000),
    longQuoteMs: number('how long long quotes say they live, in ms', HOUR_MS, 24 * HOUR_MS),
    limitedForSeconds: number('how long an operation is limited, in seconds', 600, 3600),
    railDelayMs: number('how late a hanging rail answers, in ms', 10_000, 600_000),
    railHangsForMs: number('how long a rail hangs, in ms', 60_000),
    vanishedForMs: number('how long things vanish, in ms', 30_000),
  },
};

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
export const ALL_KINDS = GROUPS.flatMap((group) =>
  Object.keys(FAULTS[group]).map((name) => `${group}.${name}` as Kind),
);

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
export const isWhole = (value: unknown, max: number, least = 0): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= max;

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
  const { parameters = [], details = {} } = fault ? FAULTS.provider[fault] : ({} as Partial<Fault>);
  if (details[name]) return DETAIL_RULES[details[name]];
  if (!parameters.includes(name)) return undefined;
  const { max } = PARAMETERS.provider[name as ProviderParameter];
  return { isFit: (value: unknown) => isWhole(value, max), rule: `a whole number from 0 to ${max}` };
}
