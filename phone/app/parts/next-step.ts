// Suggests what a person can do about a refusal. If the contract gets a code that this table lacks, the table does not compile. A
// code that the server sends and this version does not know is treated by its status.
import {
  type KnownCode,
  type KnownPayoutLimit,
  type PayoutFailure,
  PonteError,
  PonteUnreachable,
} from '@ponte/client';
import { momentOf } from '../dates.ts';
import { SandboxError } from '../sandbox.ts';
import { t } from '../texts/t.ts';

/** `again` offers to send the same request once more. */
export type NextStep = { text: string; link?: { to: string; label: string }; again?: true };

const tell = (text: string): NextStep => ({ text });
const repeat = (text: string): NextStep => ({ text, again: true });
const link = (text: string, to: string, label: string): NextStep => ({ text, link: { to, label } });

const FAULT_OF_THE_APP = tell(t('This is a fault of the app. If it stays, tell support the number below.'));
const NOTHING_HAPPENED = repeat(t('Nothing happened, and no money moved. Wait a moment, then try again.'));

const PAY_ANOTHER = link(t('You paid nothing.'), '#/pay', t('Read a code or enter a key'));
const SEE_HISTORY = link(t('You paid nothing now.'), '#/history', t('See your history'));

const SMALLER_OR_LATER = t('Try again later, or choose a smaller amount.');

const steps: Record<KnownCode, NextStep> = {
  invalid_request: tell(t('Check what you entered, and try again.')),
  malformed_json: FAULT_OF_THE_APP,
  unauthorized: tell(t('Your session is over.')),
  invalid_id_token: repeat(t('The sign-in of your phone may have expired. Try once more.')),
  account_closed: tell(t('A closed account stays closed. You can sign in as somebody else.')),
  not_found: link(t('It may not be yours, or it is no longer there.'), '#/history', t('See your history')),
  pix_key_unknown: link(t('Ask the recipient for the key again.'), '#/pay', t('Change the key')),
  method_not_allowed: FAULT_OF_THE_APP,
  home_currency_already_set: link(t('It stays as it is.'), '#/', t('Back to your balance')),
  home_currency_required: link(t('It takes one tap.'), '#/currency', t('Choose a currency')),
  account_holds_money: link(
    t('Withdraw it first, or wait until your payments are finished. Your account is still open.'),
    '#/withdraw',
    t('Withdraw'),
  ),
  account_not_active: link(
    t('Your identity check or your account is not finished.'),
    '#/verify',
    t('See how far it is'),
  ),
  bank_details_required: link(
    t('We need to know where your money goes.'),
    '#/bank-details',
    t('Add bank details'),
  ),
  bank_details_mismatch: link(
    t('Enter the name exactly as your bank has it.'),
    '#/bank-details',
    t('Change the bank account'),
  ),
  name_check_required: link(
    t('The bank says whether the name is right, and then you decide.'),
    '#/withdraw',
    t('Check the name'),
  ),
  not_retryable: repeat(t('It is in another state by now. Load it again.')),
  not_restartable: tell(t('Support can tell you more.')),
  payment_not_completed: tell(t('Only a payment that has arrived has a receipt.')),
  payment_returned: tell(t('The payment itself says what happens next.')),
  not_contestable: repeat(t('It is in another state by now, or too old. Load it again.')),
  already_contested: repeat(t('Load the payment again to see what became of it.')),
  quote_expired: repeat(t('A price holds for 60 seconds. Ask for a new one.')),
  lookup_expired: tell(t('See the name again before you pay.')),
  code_expired: PAY_ANOTHER,
  code_already_paid: SEE_HISTORY,
  code_cancelled: PAY_ANOTHER,
  code_outdated: PAY_ANOTHER,
  code_expires_soon: PAY_ANOTHER,
  code_already_used: SEE_HISTORY,
  not_offered: tell(t('You can pay without it.')),
  quote_already_used: link(t('Begin a new payment.'), '#/pay', t('Start over')),
  too_many_data_requests: link(t('We answer within 30 days.'), '#/account', t('Back to your account')),
  payload_too_large: FAULT_OF_THE_APP,
  unsupported_media_type: FAULT_OF_THE_APP,
  unsupported_content_encoding: FAULT_OF_THE_APP,
  insufficient_funds: link(t('Choose a smaller amount, or add money first.'), '#/add-money', t('Add money')),
  payout_not_allowed: tell(SMALLER_OR_LATER),
  amount_not_supported: tell(t('It is too small or too large.')),
  idempotency_key_reused: tell(t('Begin again from your balance.')),
  lookup_of_another_key: tell(t('See the name again before you pay.')),
  lookup_budget_spent: tell(t('You can pay without the name. Check the key with the recipient.')),
  code_not_pix: PAY_ANOTHER,
  code_not_supported: PAY_ANOTHER,
  code_damaged: PAY_ANOTHER,
  code_of_another_key: PAY_ANOTHER,
  code_of_another_amount: PAY_ANOTHER,
  too_many_requests: repeat(t('Nothing happened. Wait a few seconds, then try again.')),
  too_many_unfinished: NOTHING_HAPPENED,
  internal_error: repeat(t('Wait a moment, then try again: nothing is done twice.')),
  provider_unavailable: NOTHING_HAPPENED,
  lookup_unavailable: repeat(t('You can also pay without the name.')),
  name_check_unavailable: repeat(t('You can also withdraw without the check.')),
  code_unavailable: NOTHING_HAPPENED,
  balance_unconfirmed: repeat(t('Nothing happened. Wait a few seconds, then try again.')),
  identity_provider_unavailable: NOTHING_HAPPENED,
  unavailable: repeat(t('Wait a moment, then try again: nothing is done twice.')),
  recovery_underway: repeat(t('A repetition never pays twice. Wait a few minutes, then try again.')),
  overloaded: NOTHING_HAPPENED,
};

const limits: Record<KnownPayoutLimit, string> = {
  per_payment: t('The amount is above the limit for one PIX payment. Choose a smaller amount.'),
  day: `${t('The limit for PIX payments in one day has been reached.')} ${SMALLER_OR_LATER}`,
  night: `${t('The amount is above the limit at night.')} ${SMALLER_OR_LATER}`,
};

/** Names the limit that stops a payment, and says when it ends. */
function afterLimit({ limit, retryFrom }: PayoutFailure): NextStep {
  const text = limit !== null && isKnownLimit(limit) ? limits[limit] : SMALLER_OR_LATER;
  if (retryFrom === null) return tell(text);
  return tell(`${text} ${t('The payment is possible from {moment}.', { moment: momentOf(retryFrom) })}`);
}

const isKnownLimit = (limit: string): limit is KnownPayoutLimit => Object.hasOwn(limits, limit);

export function nextStepAfter(error: unknown): NextStep {
  if (error instanceof PonteUnreachable)
    return repeat(t('Check your connection, then try again: nothing is done twice.'));
  if (error instanceof SandboxError) return repeat(t('Try again.'));
  if (!(error instanceof PonteError)) return tell(t('This is a fault of the app. Open it again.'));
  if (error.is('payout_not_allowed') && error.payoutFailure !== null) return afterLimit(error.payoutFailure);
  if (Object.hasOwn(steps, error.code)) return steps[error.code as KnownCode];
  return isDefinitive(error)
    ? tell(t('Go back, and try it another way.'))
    : repeat(t('Wait a moment, then try again.'));
}

/**
 * Returns the API's own sentence, or a fixed sentence for an expired quote, whose text in the API is a word for programs. Other
 * errors have a text for programmers.
 */
export function sentenceOf(error: unknown): string {
  if (error instanceof PonteError)
    return error.is('quote_expired') ? t('This price has expired.') : error.message;
  if (error instanceof PonteUnreachable) return t('Ponte did not answer.');
  return error instanceof SandboxError ? error.message : t('Something went wrong in this app.');
}

/** Returns whether Ponte has decided: nothing was done, and the same request would be refused again. */
export const isDefinitive = (error: unknown): boolean => error instanceof PonteError && error.isDefinitive;
