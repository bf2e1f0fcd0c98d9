// Every reason that a user can be given for money that did not arrive. The list is closed: the provider's own reasons are stored
// for operators, and none of these sentences shows how a payment is made internally.
import type { Language } from './language.ts';
import { failureReasonsInPortuguese } from './portuguese.ts';

/** The English sentences for `failureReason`, by the code stored with the payment or withdrawal. */
export const failureReasons = {
  insufficient_funds: 'There was not enough money in your balance.',
  quote_expired: 'The quote expired before the payment could start. Nothing was taken from your balance.',
  conversion_failed: 'The currency conversion did not go through, so the payment was not made.',
  account_not_active: 'Your account was not active at that moment.',
  amount_mismatch: 'The converted amount was not the amount asked for. Our support team is looking into it.',
  payout_failed: 'The recipient could not be paid. The money is still yours, and you can try again.',
  recipient_unknown:
    'The recipient’s PIX key leads to no account, so paying it again will not help. The money is still yours, and our support team can return it to your balance.',
  payout_returned: 'The recipient’s bank returned the payment. Our support team is looking into it.',
  refunded: 'The payment could not be completed. What you paid is back in your balance.',
  withdraw_failed: 'The withdrawal did not go through. The money is in your balance.',
  withdraw_returned: 'Your bank returned the withdrawal. The money is back in your balance.',
  under_review: 'The payment could not be completed. Our support team is looking into it.',
  provider_rejected:
    'The payment could not start, and nothing was taken from your balance. Please try again, or contact our support team.',
} as const;

export type FailureCode = keyof typeof failureReasons;

export const failureCodes = Object.keys(failureReasons) as FailureCode[];

const sentences: Record<Language, Record<FailureCode, string>> = {
  en: failureReasons,
  'pt-BR': failureReasonsInPortuguese,
};

export const sentenceOf = (code: FailureCode | null, language: Language): string | null =>
  code === null ? null : sentences[language][code];
