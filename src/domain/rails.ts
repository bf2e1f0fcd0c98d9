// Defines the payment rail of each home currency, and how long banks may take on it.
import type { HomeCurrency } from './currency.ts';
import { oneBusinessDayAfter } from './target-calendar.ts';

/** `expectedSettlementSeconds` is the time without a weekend or a holiday in between. */
export const rails = {
  GBP: { rail: 'FPS', expectedSettlementSeconds: 7_200 },
  EUR: { rail: 'SEPA', expectedSettlementSeconds: 86_400 },
} as const;

export type Rail = (typeof rails)[keyof typeof rails]['rail'];

/** Returns how long a withdrawal that was accepted at a time usually takes. FPS runs every day, SEPA only on business days. */
export function expectedSettlementSeconds(currency: HomeCurrency, acceptedAt: Date): number {
  if (currency === 'GBP') return rails.GBP.expectedSettlementSeconds;
  return Math.ceil((oneBusinessDayAfter(acceptedAt).getTime() - acceptedAt.getTime()) / 1_000);
}
