// Every refusal of the API: one table from code to status and sentence. A code without an entry does not compile. The sentence is
// for the app's user; `details` is for the app's developer.
import type { ApiError, ErrorCode, ErrorDetail, ErrorDetailCode } from '../../openapi/generated/openapi.ts';
import type { Language } from './language.ts';
import { SECONDS_PER_TOKEN } from './name-budget.ts';
import type { PixKeyType } from './pix-key.ts';
import { refusalsInPortuguese } from './portuguese.ts';

type Meaning = {
  status: number;
  /** In English. portuguese.ts has the sentences in Portuguese. */
  sentence: string;
  /** The value of `Retry-After`, if the client only has to repeat the request, and the refusal has no other value. */
  retryAfterSeconds?: number;
};

export const refusals: Record<ErrorCode, Meaning> = {
  invalid_request: { status: 400, sentence: 'Some of the information sent is not valid.' },
  malformed_json: { status: 400, sentence: 'The request could not be read.' },
  unauthorized: { status: 401, sentence: 'Please sign in again.' },
  invalid_id_token: { status: 401, sentence: 'Signing in did not work. Please try again.' },
  account_closed: { status: 403, sentence: 'This account has been closed.' },
  not_found: { status: 404, sentence: 'We could not find that.' },
  pix_key_unknown: { status: 404, sentence: 'No account has this PIX key. Please check it.' },
  method_not_allowed: { status: 405, sentence: 'This is not possible.' },
  home_currency_already_set: {
    status: 409,
    sentence: 'Your home currency is already chosen and cannot be changed.',
  },
  home_currency_required: { status: 409, sentence: 'Please choose your home currency first.' },
  account_holds_money: {
    status: 409,
    sentence: 'There is still money in this account, or a payment that is not finished.',
  },
  account_not_active: { status: 409, sentence: 'Your account is not ready yet.' },
  bank_details_required: { status: 409, sentence: 'Please save your bank details first.' },
  bank_details_mismatch: {
    status: 409,
    sentence: 'The name does not match the bank account. Please check your bank details.',
  },
  name_check_required: {
    status: 409,
    sentence: 'Please check the name on your bank account first.',
  },
  not_retryable: { status: 409, sentence: 'This payment cannot be retried.' },
  not_restartable: { status: 409, sentence: 'Your identity check cannot be tried again.' },
  payment_not_completed: {
    status: 409,
    sentence: 'The recipient has not received this payment, so it has no receipt.',
  },
  payment_returned: {
    status: 409,
    sentence: 'The recipient’s bank has returned this payment, so it has no receipt any more.',
  },
  not_contestable: { status: 409, sentence: 'This payment cannot be contested.' },
  already_contested: { status: 409, sentence: 'This payment has been contested already.' },
  // Clients match on this sentence as an identifier. It is the only such sentence.
  quote_expired: { status: 409, sentence: 'quote_expired' },
  quote_already_used: { status: 409, sentence: 'This quote was already used for another payment.' },
  lookup_expired: {
    status: 409,
    sentence: 'The recipient was looked up too long ago. Please check the recipient again.',
  },
  code_expired: {
    status: 409,
    sentence: 'This payment code has expired. Please ask the recipient for a new one.',
  },
  code_already_paid: { status: 409, sentence: 'This payment code has already been paid.' },
  code_cancelled: { status: 409, sentence: 'The recipient has cancelled this payment code.' },
  code_outdated: {
    status: 409,
    sentence: 'The payment code was read too long ago. Please read it again.',
  },
  code_expires_soon: {
    status: 409,
    sentence:
      'This payment code expires too soon to be paid in time. Please ask the recipient for a new one.',
  },
  code_already_used: {
    status: 409,
    sentence: 'This payment code is already being paid, or has been paid.',
  },
  not_offered: { status: 409, sentence: 'Our banking partner does not offer this.' },
  too_many_data_requests: {
    status: 409,
    sentence: 'Several of your requests are still open. Please wait until one of them has been answered.',
  },
  payload_too_large: { status: 413, sentence: 'The request is too large.' },
  unsupported_media_type: { status: 415, sentence: 'The request could not be read.' },
  unsupported_content_encoding: { status: 415, sentence: 'The request could not be read.' },
  insufficient_funds: { status: 422, sentence: 'Your balance is not enough for this.' },
  payout_not_allowed: {
    status: 422,
    sentence: 'Our banking partner does not allow this payment at the moment. Nothing was paid.',
  },
  amount_not_supported: { status: 422, sentence: 'This amount cannot be paid. Please choose another one.' },
  idempotency_key_reused: {
    status: 422,
    sentence: 'This request was already made with different information.',
  },
  lookup_of_another_key: {
    status: 422,
    sentence: 'The recipient that was looked up has another PIX key. Please check the recipient again.',
  },
  code_not_pix: { status: 422, sentence: 'This is not a PIX code.' },
  code_not_supported: { status: 422, sentence: 'PIX codes of this kind cannot be paid here.' },
  code_damaged: { status: 422, sentence: 'This PIX code is damaged. Please scan or copy it again.' },
  code_of_another_key: {
    status: 422,
    sentence: 'The payment code has another PIX key. Please read the code again.',
  },
  code_of_another_amount: {
    status: 422,
    sentence: 'The payment code has a fixed amount, and this is another one. Please read the code again.',
  },
  too_many_requests: {
    status: 429,
    sentence: 'Too many of your requests are still being answered. Please try again in a moment.',
    retryAfterSeconds: 1,
  },
  too_many_unfinished: {
    status: 429,
    sentence:
      'Several of your payments are still on their way. Nothing was paid. Please try again when some of them have arrived.',
    retryAfterSeconds: 5,
  },
  lookup_budget_spent: {
    status: 429,
    sentence: 'You have looked up too many recipients. Please try again later.',
    retryAfterSeconds: SECONDS_PER_TOKEN,
  },
  internal_error: { status: 500, sentence: 'Something went wrong on our side. Please try again.' },
  provider_unavailable: {
    status: 502,
    sentence: 'Our banking partner is not answering at the moment. Please try again shortly.',
  },
  balance_unconfirmed: {
    status: 502,
    sentence: 'An earlier payment is still being confirmed. Please try again in a moment.',
  },
  lookup_unavailable: {
    status: 502,
    sentence: 'The recipient could not be looked up. Please try again shortly.',
  },
  name_check_unavailable: {
    status: 502,
    sentence: 'The name could not be checked. You can try again, or go on without the check.',
  },
  code_unavailable: {
    status: 502,
    sentence: 'The payment code could not be read. Please try again shortly.',
  },
  identity_provider_unavailable: {
    status: 502,
    sentence: 'Signing in is not possible at the moment. Please try again shortly.',
  },
  unavailable: {
    status: 503,
    sentence: 'The service is not available at the moment. Please try again shortly.',
    retryAfterSeconds: 1,
  },
  recovery_underway: {
    status: 503,
    sentence: 'We are checking that none of your payments is missing. Please try again in a few minutes.',
    retryAfterSeconds: 5,
  },
  overloaded: {
    status: 503,
    sentence:
      'Too many payments are being made at the moment. Nothing was paid. Please try again in a few seconds.',
    retryAfterSeconds: 5,
  },
};

const sentences: Record<Language, (code: ErrorCode) => string> = {
  en: (code) => refusals[code].sentence,
  'pt-BR': (code) => refusalsInPortuguese[code],
};

/** Returns the sentence that tells a user of a refusal. */
export const refusalSentence = (code: ErrorCode, language: Language): string => sentences[language](code);

/** An expected refusal. Handlers throw it, and src/api turns it into an error response. Its message is the English sentence. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  /** The value of `Retry-After`. Undefined if repeating the request does not help. */
  readonly retryAfterSeconds: number | undefined;
  /** Why the provider would not pay the recipient. */
  readonly payoutFailure: ApiError['payoutFailure'];
  /** The check of a name that got no answer. */
  readonly checkId: ApiError['checkId'];

  constructor(
    code: ErrorCode,
    details?: ErrorDetail[],
    {
      retryAfterSeconds,
      payoutFailure,
      checkId,
      ...options
    }: { cause?: unknown; retryAfterSeconds?: number | undefined } & Pick<
      ApiError,
      'payoutFailure' | 'checkId'
    > = {},
  ) {
    super(refusals[code].sentence, options);
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
    this.payoutFailure = payoutFailure;
    this.checkId = checkId;
    this.retryAfterSeconds = retryAfterSeconds ?? refusals[code].retryAfterSeconds;
  }
}

/**
 * Creates a refusal for an error that the contract's schema cannot express. Its path and message have
 * the form of the schema's errors.
 * @param code names the fault if a user can have typed the value.
 */
export const invalid = (path: string, message: string, code?: ErrorDetailCode): Refusal =>
  new Refusal('invalid_request', [{ path, message, ...(code && { code }) }]);

/** Creates the detail of a refused PIX key. */
export const invalidPixKey = (type: PixKeyType): ErrorDetail => ({
  path: '/body/pixKey',
  message: `is not a valid PIX key of type ${type}`,
  code: 'invalid_pix_key',
});

export const malformedJson = (cause?: unknown): Refusal =>
  new Refusal('malformed_json', [{ path: '/body', message: 'must be JSON in UTF-8' }], { cause });
