// Every refusal the API can utter: one table from code to status and sentence. A code without an entry does not compile.
import type { ErrorCode, ErrorDetail } from '../../openapi/generated/openapi.ts';

type Meaning = { status: number; sentence: string };

export const refusals: Record<ErrorCode, Meaning> = {
  invalid_request: { status: 400, sentence: 'The request is not valid.' },
  malformed_json: { status: 400, sentence: 'The request body is not valid JSON.' },
  unauthorized: { status: 401, sentence: 'Please sign in again.' },
  invalid_id_token: { status: 401, sentence: 'The sign-in could not be verified.' },
  account_closed: { status: 403, sentence: 'This account is closed.' },
  not_found: { status: 404, sentence: 'There is nothing here.' },
  method_not_allowed: { status: 405, sentence: 'This address does not answer to that method.' },
  home_currency_already_set: {
    status: 409,
    sentence: 'Your home currency is already set and cannot be changed.',
  },
  home_currency_required: { status: 409, sentence: 'Please choose your home currency first.' },
  account_not_active: { status: 409, sentence: 'Your account is not active yet.' },
  bank_details_required: { status: 409, sentence: 'Please save your bank details first.' },
  not_retryable: { status: 409, sentence: 'This payment is not waiting for a retry.' },
  // The one case in which the sentence is itself an identifier that clients match on.
  quote_expired: { status: 409, sentence: 'quote_expired' },
  quote_already_used: { status: 409, sentence: 'This quote has already been used for another payment.' },
  too_many_data_requests: {
    status: 409,
    sentence: 'Several of your requests are still open. Please wait until one of them has been answered.',
  },
  payload_too_large: { status: 413, sentence: 'The request body is too large.' },
  unsupported_media_type: { status: 415, sentence: 'The request body must be application/json.' },
  unsupported_content_encoding: { status: 415, sentence: 'The request must not be compressed.' },
  insufficient_funds: { status: 422, sentence: 'There is not enough money in your balance.' },
  amount_not_supported: { status: 422, sentence: 'This amount cannot be paid at the moment.' },
  idempotency_key_reused: { status: 422, sentence: 'This Idempotency-Key was used for a different request.' },
  internal_error: { status: 500, sentence: 'Something went wrong on our side. Please try again.' },
  provider_unavailable: { status: 502, sentence: 'Our banking partner cannot be reached. Please try again.' },
  balance_unconfirmed: {
    status: 502,
    sentence: 'An earlier payment is still being confirmed. Please try again in a moment.',
  },
  identity_provider_unavailable: {
    status: 502,
    sentence: 'Sign-in cannot be verified now. Please try again.',
  },
  unavailable: { status: 503, sentence: 'The service is not available for a moment. Please try again.' },
};

/** An expected no: handlers throw it, and the edge turns it into its answer. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;

  constructor(code: ErrorCode, details?: ErrorDetail[], options?: { cause?: unknown }) {
    super(refusals[code].sentence, options);
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
  }
}

/** A fault that the contract's schema cannot express, named as the schema's own faults are. */
export const invalid = (path: string, message: string): Refusal =>
  new Refusal('invalid_request', [{ path, message }]);

/** The answer to anything that was thrown: its own where it is a refusal, else one of the table's 4xx and 5xx. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof URIError) return invalid('/path', 'holds an escape that is not UTF-8');
  if (isProviderFault(error)) return new Refusal('provider_unavailable', undefined, { cause: error });
  if (isDatabaseGone(error)) return new Refusal('unavailable', undefined, { cause: error });
  return new Refusal('internal_error', undefined, { cause: error });
}

const isProviderFault = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'ProviderUnknown' || error.name === 'ProviderRefusal');

const goneCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '08000',
  '08003',
  '08006',
  // A standby, or the old primary after a failover: it reads, and takes no writes.
  '25006',
  // Deadlines of ours: of a transaction that was left open, a session that said nothing, a lock, a statement.
  '25P03',
  '53100',
  '53200',
  '53300',
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
]);

/** The database cannot be reached, is going away, or has no room for now: a matter of moments, and nobody's mistake. */
export function isDatabaseGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && goneCodes.has(String(error.code))) return true;
  if (
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
      error.message,
    )
  )
    return true;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseGone);
  return error.cause !== undefined && isDatabaseGone(error.cause);
}
