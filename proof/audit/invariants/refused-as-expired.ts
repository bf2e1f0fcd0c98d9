// 409 quote_expired only once the quote's life, as it was shown, was over.
import type { Books } from '../books.ts';
import type { Hold } from '../counts.ts';
import { refusalsIn } from '../evidence.ts';

/** Clients and service have one machine's clock; this is for what is rounded to whole milliseconds. */
const ROUNDING_MS = 5;

export function refusedAsExpired({ seen }: Books, hold: Hold): void {
  for (const { order, answer } of refusalsIn(seen)) {
    if (answer.code !== 'quote_expired') continue;
    const aliveMs = Date.parse(order.expiresAt ?? '') - answer.answeredAt;
    hold(
      order.key ?? '',
      // A withdrawal has no quote, and nothing of it can expire.
      aliveMs <= ROUNDING_MS,
      `refused as expired ${Number.isNaN(aliveMs) ? 'without a quote' : `${aliveMs} ms before its end`}`,
    );
  }
}
