// The outcomes that metrics count: a payment, a withdrawal or a verification has ended, or waits for its user or an operator.
import type { FailureCode } from './failure-reasons.ts';

export type PaymentOutcome = 'completed' | 'failed' | 'refunded' | 'payout_failed' | 'manual_review';

/**
 * What the conversions of a payment left over, in minor units, once the payment has ended. What is below zero was the price of a return
 * that the company bears.
 */
export type Residues = { USDC: number; BRL: number };

/** `reason` is null if there is none. `seconds` is the time since the row was created. */
export type Outcome = { seconds: number } & (
  | {
      lifecycle: 'pix_payment';
      outcome: PaymentOutcome;
      reason: FailureCode | null;
      residues: Residues | null;
    }
  | { lifecycle: 'withdraw'; outcome: 'completed' | 'failed'; reason: FailureCode | null }
  | { lifecycle: 'kyc'; outcome: 'completed' | 'failed'; reason: string | null }
);

/** Says that a row has reached an outcome. */
export type OutcomeReached = (outcome: Outcome) => void;
