// The two ways a call can fail, which must never be confused: a definitive no, and an unknown outcome.

/** The provider's code for a definitive no. On a write, nothing was created. */
export const refusalCodes = [
  'insufficient_funds',
  'account_not_active',
  'rejected',
  'quote_expired',
  'quote_consumed',
  'origin_id_conflict',
] as const;

export type RefusalCode = (typeof refusalCodes)[number];

/** A definitive answer: the provider understood and refused. */
export class ProviderRefusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, operation: string) {
    super(`${operation} was refused: ${code}`);
    this.name = 'ProviderRefusal';
    this.code = code;
  }
}

/** The outcome is unknown: no answer, an unusable one, or one that says nothing about the request itself. */
export class OutcomeUnknown extends Error {
  /** The provider's Retry-After, in milliseconds. */
  readonly retryAfterMs: number | null;
  /** The status of the answer, or null when none came. */
  readonly status: number | null;
  /** False when the call was not sent: then its outcome is certain, nothing happened, and it counts as no attempt. */
  readonly sent: boolean;
  /** Whether the request may still be carried out: a write that was sent and has no answer. */
  readonly mayHaveActed: boolean;

  constructor(
    operation: string,
    what: string,
    options: {
      cause?: unknown;
      retryAfterMs?: number | null;
      status?: number;
      sent?: boolean;
      mayHaveActed?: boolean;
    } = {},
  ) {
    super(`${operation}: ${what}`, { cause: options.cause });
    this.name = 'OutcomeUnknown';
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.status = options.status ?? null;
    this.sent = options.sent ?? true;
    this.mayHaveActed = options.mayHaveActed ?? this.sent;
  }

  /** The same, of a call that changes nothing however often it is made. */
  ofARead(): this {
    return Object.defineProperty(this, 'mayHaveActed', { value: false });
  }
}

/** The provider answered, and what it says cannot be read: it is outside the contract, or an amount or time is none. */
export class UnreadableReply extends OutcomeUnknown {}

/** The call was rejected before it was sent; its error carries when to retry, where that is known. */
export const isUnsent = (error: unknown): error is OutcomeUnknown =>
  error instanceof OutcomeUnknown && !error.sent;

/** @param retryAfterMs when to try again, in milliseconds from now; null where that is not known. */
export const notSent = (operation: string, why: string, retryAfterMs: number | null = null): OutcomeUnknown =>
  new OutcomeUnknown(operation, `not sent: ${why}`, { sent: false, retryAfterMs });
