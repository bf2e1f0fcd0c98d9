// Says whether it helps to send a payment again whose payout failed. A retry pays the same amount to the same key.
import type { PixPayment } from '@ponte/client';

export type RetryAdvice = 'now' | 'later' | 'never';

/** An older server gives no advice, and only says that a key is unknown. */
export function retryAdvice(
  { payoutFailure, failureCode }: Pick<PixPayment, 'payoutFailure' | 'failureCode'>,
  nowMs: number,
): RetryAdvice {
  if (payoutFailure === undefined) return failureCode === 'recipient_unknown' ? 'never' : 'now';
  const { retryHelps, retryFrom } = payoutFailure;
  if (!retryHelps) return 'never';
  return retryFrom !== null && Date.parse(retryFrom) > nowMs ? 'later' : 'now';
}
