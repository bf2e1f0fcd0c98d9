// The contract's errors: the codes and their statuses.
import type { components } from '../../openapi/generated/provider.ts';

export type ErrorCode = components['schemas']['ErrorCode'];

const STATUS: Record<ErrorCode, number> = {
  invalid_request: 400,
  unauthorized: 401,
  not_found: 404,
  origin_id_conflict: 409,
  quote_expired: 409,
  quote_consumed: 409,
  insufficient_funds: 422,
  account_not_active: 422,
  rejected: 422,
  rate_limited: 429,
  unavailable: 503,
};

export const ERROR_CODES = Object.keys(STATUS) as ErrorCode[];

/** An expected refusal. Thrown inside a transaction, it also rolls back everything that the request did. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** Why it was rejected, for programs. Undefined if there is no name for it. */
  readonly reason: string | undefined;

  constructor(code: ErrorCode, detail: string, status: number, reason?: string) {
    super(detail);
    this.code = code;
    this.status = status;
    this.reason = reason;
  }
}

/** @param more the status if it is not that of the code, or the reason. */
export function refuse(
  code: ErrorCode,
  detail: string,
  more: number | { reason: string } = STATUS[code],
): Refusal {
  return typeof more === 'number'
    ? new Refusal(code, detail, more)
    : new Refusal(code, detail, STATUS[code], more.reason);
}
