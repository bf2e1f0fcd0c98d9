// The errors that an app catches: a refusal with its code, or the lack of a usable answer.
import type { components } from './contract.ts';
import type { PayoutFailure } from './types.ts';

export type KnownCode = components['schemas']['ErrorCode'];
/** The fault in something that the user typed. */
export type KnownDetailCode = components['schemas']['ErrorDetailCode'];
/** One faulty place. An entry with a `code` is for the user. Treat a code that this version does not know like a missing one. */
type Detail = Omit<components['schemas']['ErrorDetail'], 'code'> & {
  code?: KnownDetailCode | (string & {});
};
export type RefusalBody = {
  error: string;
  code: string;
  requestId: string;
  details?: Detail[];
  payoutFailure?: PayoutFailure;
  checkId?: string;
};

/** The facts about a call that are known before its last answer. */
export type Trail = {
  /** The Idempotency-Key that was sent. Null for calls that take none. */
  idempotencyKey: string | null;
  /** True if an earlier try got no usable answer: the server may have executed it. */
  mayHaveActed: boolean;
};

/** Codes that promise that the request changed nothing. */
const NOTHING_HAPPENED: ReadonlySet<string> = new Set<KnownCode>([
  'too_many_requests',
  'provider_unavailable',
  'balance_unconfirmed',
  'lookup_unavailable',
  'name_check_unavailable',
  'identity_provider_unavailable',
  'overloaded',
]);

/** Statuses of requests that the server refuses before reading them: without a session, or beyond a limit of requests. */
const NOT_READ: ReadonlySet<number> = new Set([401, 429]);

/** Ponte answered with a refusal. */
export class PonteError extends Error {
  override readonly name = 'PonteError';
  readonly status: number;
  /** A stable code for branching. Treat a code that this version does not know like its status. */
  readonly code: KnownCode | (string & {});
  /** The id of the request. Support asks for it. */
  readonly requestId: string;
  /** The faulty places of the request: those with a `code` for the user, the others for the app's programmer. */
  readonly details: Detail[];
  /** After `payout_not_allowed`: the limit that stops the payment, and from when the payment is possible. Otherwise null. */
  readonly payoutFailure: PayoutFailure | null;
  /** After `checkBankDetails` got no answer: the check, which `withdraw` takes as `acceptedCheckId`. Otherwise null. */
  readonly checkId: string | null;
  /** The key that the call was sent with. Null for calls that take none. */
  readonly idempotencyKey: string | null;
  /**
   * True if the server may have executed the request in one of this call's tries. Repeat the call with this `idempotencyKey` to
   * find out. False if this call changed nothing.
   */
  readonly mayHaveActed: boolean;
  /**
   * True if Ponte has decided and will refuse the same request again. Nothing was done under its key, so the app can forget the
   * key. If false, keep the key and call again later: an earlier call with this key may have been executed.
   */
  readonly isDefinitive: boolean;

  /** `message` is a sentence that can be shown to the user. */
  constructor(status: number, body: RefusalBody, trail: Trail) {
    super(body.error);
    this.status = status;
    this.code = body.code;
    this.requestId = body.requestId;
    this.details = body.details ?? [];
    this.payoutFailure = body.payoutFailure ?? null;
    this.checkId = body.checkId ?? null;
    this.idempotencyKey = trail.idempotencyKey;
    this.mayHaveActed = trail.mayHaveActed || mayHaveActed(status, body.code);
    this.isDefinitive = !this.mayHaveActed && status < 500 && !NOT_READ.has(status);
  }

  /** For an `if` or a `switch (true)`: `if (error.is('quote_expired')) ...`. */
  is(code: KnownCode): boolean {
    return this.code === code;
  }
}

/**
 * No usable answer arrived: none, an incomplete one, or one that Ponte did not write, such as a gateway's. The server may have
 * executed the request. Repeat the same call to find out; it does nothing twice. Give `withdraw`, `retryPayment` and `requestData`
 * the `idempotencyKey` of this error.
 */
export class PonteUnreachable extends Error {
  override readonly name = 'PonteUnreachable';
  /** The key that the call was sent with. Null for calls that take none. */
  readonly idempotencyKey: string | null;
  readonly mayHaveActed = true;
  readonly isDefinitive = false;

  /** `message` is for logs, not for the user. */
  constructor(cause: unknown, idempotencyKey: string | null) {
    super(
      idempotencyKey === null
        ? 'No usable answer came. The same call can be sent again, and does nothing twice.'
        : 'No usable answer came, and the request may have had an effect. Send it again with the idempotencyKey of this error to find out.',
      { cause },
    );
    this.idempotencyKey = idempotencyKey;
  }
}

export const mayHaveActed = (status: number, code: string): boolean =>
  status >= 500 && !NOTHING_HAPPENED.has(code);

export function isRefusal(body: unknown): body is RefusalBody {
  if (typeof body !== 'object' || body === null) return false;
  return ['error', 'code', 'requestId'].every((name) => typeof Reflect.get(body, name) === 'string');
}
