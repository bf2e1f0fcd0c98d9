// Why a payout failed, what the user is told about it, and whether a retry helps. A retry pays the same amount to the same key, so it
// helps only against what passes by itself. The limits are the provider's.
import { failureReasons } from './failure-reasons.ts';
import type { Language } from './language.ts';
import { payoutFailuresInPortuguese } from './portuguese.ts';

export const payoutFailureCodes = [
  'recipient_unknown',
  'limit_reached',
  'account_blocked',
  'name_mismatch',
  'recipient_bank_unavailable',
  'code_expired',
  'other',
] as const;
export type PayoutFailureCode = (typeof payoutFailureCodes)[number];

export const payoutLimits = ['per_payment', 'day', 'night'] as const;
export type PayoutLimit = (typeof payoutLimits)[number];

/** `limit` and `retryFrom` are null unless the provider names them. */
export type PayoutFailure = { code: PayoutFailureCode; limit: PayoutLimit | null; retryFrom: Date | null };

type Meaning = {
  /** The `failureReason` of the payment, in English. */
  sentence: string;
  retryHelps: boolean;
};

const yours = 'The money is still yours, and you can try again';
const inVain =
  'so paying it again will not help. The money is still yours, and our support team can return it to your balance.';

/** By the code, or by the limit if one is named. */
export const payoutFailures: Record<PayoutFailureCode | PayoutLimit, Meaning> = {
  recipient_unknown: { sentence: failureReasons.recipient_unknown, retryHelps: false },
  limit_reached: {
    sentence: `This payment is above a limit for PIX payments. ${yours} later.`,
    retryHelps: true,
  },
  per_payment: {
    sentence: `The amount is above the limit for one PIX payment, ${inVain}`,
    retryHelps: false,
  },
  day: {
    sentence: `The limit for PIX payments in one day has been reached. ${yours} later.`,
    retryHelps: true,
  },
  night: {
    sentence: `The amount is above the limit for PIX payments at night. ${yours} in the morning.`,
    retryHelps: true,
  },
  account_blocked: { sentence: `The recipient’s account cannot receive money, ${inVain}`, retryHelps: false },
  name_mismatch: {
    sentence: `The recipient’s name does not match the account, ${inVain}`,
    retryHelps: false,
  },
  recipient_bank_unavailable: {
    sentence: `The recipient’s bank could not be reached. ${yours} later.`,
    retryHelps: true,
  },
  code_expired: { sentence: `The payment code has expired, ${inVain}`, retryHelps: false },
  other: { sentence: failureReasons.payout_failed, retryHelps: true },
};

export const meaningOf = ({ code, limit }: Pick<PayoutFailure, 'code' | 'limit'>): Meaning =>
  payoutFailures[limit ?? code];

const sentences: Record<Language, (reason: PayoutFailureCode | PayoutLimit) => string> = {
  en: (reason) => payoutFailures[reason].sentence,
  'pt-BR': (reason) => payoutFailuresInPortuguese[reason],
};

/** Returns the `failureReason` of a payment that has a payout failure. */
export const payoutFailureSentence = (
  { code, limit }: Pick<PayoutFailure, 'code' | 'limit'>,
  language: Language,
): string => sentences[language](limit ?? code);
