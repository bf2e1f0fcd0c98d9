// 409 quote_expired is answered only after the expiry that the quote was shown with.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import { refusalsIn } from '../evidence.ts';

/** Clients and service share one machine's clock. This allows for rounding to whole milliseconds. */
const ROUNDING_MS = 5;

export function refusedAsExpired({ seen }: Books, check: Check): void {
  for (const { order, answer } of refusalsIn(seen)) {
    if (answer.code !== 'quote_expired') continue;
    const aliveMs = Date.parse(order.expiresAt ?? '') - answer.answeredAt;
    check(
      order.key ?? '',
      // A withdrawal has no quote, so it cannot expire.
      aliveMs <= ROUNDING_MS,
      `refused as expired ${Number.isNaN(aliveMs) ? 'without a quote' : `${aliveMs} ms before its end`}`,
    );
  }
}
