// The price that was asked for last. It is kept, so that the person may leave its screen and come back to the same price.
import type { PixQuote } from '@ponte/client';
import { LONGEST_MS } from '../quote-life.ts';
import { keptStore } from './kept.ts';

type Price = {
  amountBrl: number;
  quote: PixQuote;
  /** The expiry by this phone's clock. */
  endsAtMs: number;
};

export const price = keptStore<Price>('price');

/**
 * Returns the kept price of this amount. Null if it has ended, or if it said that the balance is too small: money may have arrived
 * since.
 */
export function runningPriceOf(amountBrl: number, nowMs: number): Price | null {
  const kept = price.get();
  if (kept === null || kept.amountBrl !== amountBrl || kept.quote.sufficientFunds === false) return null;
  const remainingMs = kept.endsAtMs - nowMs;
  return remainingMs > 0 && remainingMs <= LONGEST_MS ? kept : null;
}
