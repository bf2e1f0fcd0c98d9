// The steps of an attempt at a payout, by its outcome.
import type { PayoutOutcome } from '../magic.ts';
import type { PayoutRow } from '../store/rows.ts';

export interface PayoutStep {
  attempt: number;
  status: Exclude<PayoutRow['status'], 'PENDING'>;
  /** Whether a payout that failed is completed after all. */
  isLate?: true;
}

type Step = Omit<PayoutStep, 'attempt'> & { afterMs: number };

/** A late completion takes this many times as long as any other settlement. */
const LATE = 12;

/** Returns the steps with their delays. An instant outcome has one step, which is due immediately. */
export function payoutSteps(
  outcome: PayoutOutcome,
  attempt: number,
  { settleMs, slowMs }: { settleMs: number; slowMs: number },
): Step[] {
  switch (outcome) {
    case 'completes':
      return [{ afterMs: settleMs, status: 'COMPLETED' }];
    case 'fails':
    case 'unknownRecipient':
    case 'abovePaymentLimit':
    case 'accountBlocked':
    case 'nameMismatch':
    case 'codeExpired':
      return [{ afterMs: settleMs, status: 'FAILED' }];
    case 'errors':
      return [{ afterMs: settleMs, status: 'ERROR' }];
    case 'recovers':
    case 'dayLimit':
    case 'nightLimit':
    case 'bankUnavailable':
      return [{ afterMs: settleMs, status: attempt === 1 ? 'FAILED' : 'COMPLETED' }];
    case 'completesLate':
      return [
        { afterMs: settleMs, status: 'FAILED' },
        { afterMs: LATE * settleMs + 1, status: 'COMPLETED', isLate: true },
      ];
    case 'refunded':
      return [
        { afterMs: settleMs, status: 'COMPLETED' },
        { afterMs: 6 * settleMs + 1, status: 'REFUNDED' },
      ];
    case 'refundedEarly':
      return [{ afterMs: settleMs, status: 'REFUNDED' }];
    case 'slow':
      return [{ afterMs: slowMs, status: 'COMPLETED' }];
    case 'instant':
      return [{ afterMs: 0, status: 'COMPLETED' }];
    case 'instantFailure':
      return [{ afterMs: 0, status: 'FAILED' }];
    case 'rejected':
      throw new Error('a rejected payout is never planned');
  }
}
