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

  constructor(code: ErrorCode, detail: string, status: number) {
    super(detail);
    this.code = code;
    this.status = status;
  }
}

export function refuse(code: ErrorCode, detail: string, status = STATUS[code]): Refusal {
  return new Refusal(code, detail, status);
}
