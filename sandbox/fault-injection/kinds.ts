// Every fault that can be injected, in one table. The configuration is parsed by it, the page prints it, and faults are counted by
// it.

/** Each kind of fault, and its effect. */
export const KINDS = {
  replies: {
    dropped: 'the work is done, and the connection closes without a byte',
    reset: 'the work is done, and the connection is reset',
    error500: '500, and nothing is done',
    error503: '503, and nothing is done; half of them have a Retry-After',
    hang: 'the work is done, and no answer arrives',
    drip: 'the work is done, and the answer arrives at ten bytes a second',
    broken: 'the work is done, and the answer is half of the JSON',
    error429: '429, and nothing is done; half of them have a Retry-After',
    redirect: '307 to an address that does not answer, and nothing is done',
  },
  callbacks: {
    lost: 'never sent',
    duplicated: 'sent twice, concurrently',
    delayed: 'sent late',
    reordered: 'sent after a later one, or after two seconds',
    early: 'delivered before the reply to the call that caused it; the reply waits at most two seconds',
  },
  business: {
    shortByOne: 'a conversion into BRL delivers one centavo more or less than quoted',
    refundedLater: 'a payout is COMPLETED, and REFUNDED a little later',
    completedLate: 'a payout is FAILED, and COMPLETED a little later',
    expiredQuote: 'a quote has expired, although its expires_at is a minute away',
    slowAccount: 'an account stays PROVISIONING for longer',
    failedTransfer: 'a conversion is FAILED',
    failedPayout: 'an attempt at a payout is FAILED',
  },
  provider: {
    receivedLate:
      'the connection of a write breaks without an answer; the request arrives later and is decided then',
    forgottenHandle: 'a repeated creation makes a twin under the same handle, which debits again',
    unfundedTwin:
      'the twin of a payout is paid although the balance does not cover it; without this fault it is refused',
    wrongQuote: 'a quote has another amount or currency than requested, or costs nothing',
    wrongDebit: 'a conversion debits up to a tenth more or less than quoted',
    wrongDelivery: 'a conversion delivers up to a tenth more or less than quoted',
    wrongPayout: 'a payout pays up to a tenth more or less than requested',
    misreported: 'a conversion or payout is reported with another amount or currency than it has',
    vanished: 'a GET of an existing resource by its uuid answers 404 for a while',
    vanishedHandle:
      'a vanished resource is not found by its handle either, and a repeated creation makes a twin',
    coarseClock: 'updated_at is truncated to whole seconds, so that two changes can have the same',
    jumpingClock: 'after a creation the clock steps back for a while, and updated_at with it',
    laggingRead: 'a GET shows a former state; a look-up by handle still shows every answered write',
    laggingLookup: 'a look-up by handle shows a former state, even if a write was answered',
    unseenWrite: 'a look-up by handle does not show a write that was not answered, for a while',
    unreadable: 'lists show a conversion or payout with a status that the contract does not have',
    otherReferences:
      'the movements of a conversion or payout name it by its uuid, not at all, or in mixed ways, as the contract allows',
    longQuote: 'a quote claims to live long, and lives a minute',
    refused: 'a valid call is refused with 422, and nothing is done',
    limitedOperation: 'the operation answers 429 with a Retry-After for a while; others are not affected',
    hangingRail: 'creations of payouts of the rail are answered late for a while',
  },
} as const;

/** A duration or an amount that can also be configured. `otherwise` is its default. */
export const MEASURES = {
  replies: {
    retryAfterSeconds: {
      meaning: 'what error503 and error429 ask for, in seconds',
      otherwise: 1,
      most: 3600,
    },
  },
  callbacks: {
    delayedMs: { meaning: 'how late delayed ones are at most, in ms', otherwise: 3000, most: 3_600_000 },
  },
  business: {
    slowAccountMs: { meaning: 'how long slow accounts take, in ms', otherwise: 10_000, most: 3_600_000 },
  },
  provider: {
    lateMs: { meaning: 'how late requests are received at most, in ms', otherwise: 90_000, most: 3_600_000 },
    coarseClockMs: { meaning: 'what a coarse clock counts in, in ms', otherwise: 1000, most: 3_600_000 },
    jumpBackMs: { meaning: 'how far a jumping clock steps back, in ms', otherwise: 5000, most: 3_600_000 },
    jumpForMs: { meaning: 'how long until it is right again, in ms', otherwise: 10_000, most: 3_600_000 },
    clockAheadMs: { meaning: 'how far the clock is ahead, always, in ms', otherwise: 0, most: 3_600_000 },
    clockBehindMs: { meaning: 'how far the clock is behind, always, in ms', otherwise: 0, most: 3_600_000 },
    lagMs: { meaning: 'how old what reads show is at most, in ms', otherwise: 5000, most: 60_000 },
    unseenForMs: {
      meaning: 'how long a look-up does not show a write that was not answered, in ms',
      otherwise: 5000,
      most: 60_000,
    },
    longQuoteMs: {
      meaning: 'how long long quotes say they live, in ms',
      otherwise: 3_600_000,
      most: 86_400_000,
    },
    limitedForSeconds: {
      meaning: 'how long an operation is limited, in seconds',
      otherwise: 600,
      most: 3600,
    },
    railDelayMs: { meaning: 'how late a hanging rail answers, in ms', otherwise: 10_000, most: 600_000 },
    railHangsForMs: { meaning: 'how long a rail hangs, in ms', otherwise: 60_000, most: 3_600_000 },
    vanishedForMs: { meaning: 'how long things vanish, in ms', otherwise: 30_000, most: 3_600_000 },
  },
} as const;

export type Group = keyof typeof KINDS;
export type ReplyFault = keyof (typeof KINDS)['replies'];
export type BusinessFault = keyof (typeof KINDS)['business'];
export type ProviderFault = keyof (typeof KINDS)['provider'];

/** A kind with its group, which is the name of its counter. */
export type Kind = { [G in Group]: `${G}.${keyof (typeof KINDS)[G] & string}` }[Group];

export const GROUPS = Object.keys(KINDS) as Group[];
export const REPLY_FAULTS = Object.keys(KINDS.replies) as ReplyFault[];
export const PROVIDER_FAULTS = Object.keys(KINDS.provider) as ProviderFault[];
export const ALL_KINDS = GROUPS.flatMap((group) =>
  Object.keys(KINDS[group]).map((name) => `${group}.${name}` as Kind),
);
