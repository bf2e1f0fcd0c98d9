// The two ways in which a call can fail, which must never be confused: a definitive refusal, and an unknown outcome.

/** The provider's codes of definitive refusals. A refused write has created nothing. */
export const refusalCodes = [
  'insufficient_funds',
  'account_not_active',
  'rejected',
  'quote_expired',
  'quote_consumed',
  'origin_id_conflict',
] as const;

export type RefusalCode = (typeof refusalCodes)[number];

/** A definitive refusal: the provider understood the request and refused it. */
export class ProviderRefusal extends Error {
  readonly code: RefusalCode;
  /** The provider's name of the reason, which it may leave out. Null if it names none. */
  readonly reason: string | null;

  constructor(code: RefusalCode, operation: string, reason: string | null = null) {
    super(`${operation} was refused: ${code}${reason === null ? '' : ` (${reason})`}`);
    this.name = 'ProviderRefusal';
    this.code = code;
    this.reason = reason;
  }
}

/** The outcome of a call is unknown: there was no answer, an unusable one, or one that says nothing about the request. */
export class OutcomeUnknown extends Error {
  /** The provider's `Retry-After` in milliseconds, or null. */
  readonly retryAfterMs: number | null;
  /** The HTTP status of the answer, or null if there was no answer. */
  readonly status: number | null;
  /** False if the call was not sent. Then nothing happened, and the call does not count as an attempt. */
  readonly sent: boolean;
  /** Whether the provider may have executed the request, or may still execute it: true for a sent write without a definitive answer. */
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

  /** Marks this error as the error of a call without effects: it cannot have acted. Returns the same error. */
  ofARead(): this {
    return Object.defineProperty(this, 'mayHaveActed', { value: false });
  }
}

/** The provider answered, but the answer does not match the contract, or it has an invalid amount or time. */
export class UnreadableReply extends OutcomeUnknown {}

/** Whether the call was rejected before it was sent. The error then has the time to wait before a retry, if that is known. */
export const isUnsent = (error: unknown): error is OutcomeUnknown =>
  error instanceof OutcomeUnknown && !error.sent;

/**
 * The error of a call that was not sent.
 * @param retryAfterMs the time to wait before a retry, in milliseconds; null if it is not known.
 */
export const notSent = (operation: string, why: string, retryAfterMs: number | null = null): OutcomeUnknown =>
  new OutcomeUnknown(operation, `not sent: ${why}`, { sent: false, retryAfterMs });

/**
 * Returns what is stored of an error for operators: the message of an unknown outcome, of any other error only its name, because the
 * messages of libraries may quote personal values.
 */
export function safeMessageOf(error: unknown): string {
  if (error instanceof OutcomeUnknown) return error.message;
  return error instanceof Error ? error.name : 'unknown';
}

/**
 * Whether an answer says that the provider lacks an optional operation. A provider that has it never answers 404 to it: the operation
 * names nothing that may be absent, or something that is known to exist.
 */
export const saysAbsent = ({ status }: OutcomeUnknown): boolean =>
  status === 404 || status === 405 || status === 501;
