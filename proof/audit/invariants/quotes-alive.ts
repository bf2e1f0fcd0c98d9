// No payment is accepted with an expired quote: it was accepted before the quote's expiry as shown, which is at most a minute after
// the quote was created.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';

const LIFE_MS = 60_000;
/** The time between the check of the quote's expiry and the payment's timestamp. */
const DECIDING_MS = 50;

export function quotesWereAlive({ ours, seen, transitionsOf }: Books, check: Check): void {
  const quotes = new Map(ours.quotes.map((quote) => [quote.id, quote]));
  for (const { id, quote_id: quoteId, created_at: at } of ours.payments) {
    // Payments that recovery adopted after a restored backup are inserted long after they were paid.
    if (transitionsOf(id).some(({ event }) => event === 'adopted')) continue;
    const expiresAt = quotes.get(quoteId)?.expires_at;
    check(
      id,
      expiresAt !== undefined && at.getTime() < expiresAt.getTime() + DECIDING_MS,
      'accepted when its quote had expired',
    );
  }
  for (const { id, created_at: from, expires_at: to } of ours.quotes)
    check(`quote_${id}`, to.getTime() - from.getTime() <= LIFE_MS, 'lives longer than a minute');
  for (const { key, expiresAt } of seen.orders) {
    const quote = quotes.get(key?.slice('quote_'.length) ?? '');
    if (quote && expiresAt !== undefined)
      check(
        key ?? '',
        Date.parse(expiresAt) === quote.expires_at.getTime(),
        'another end was shown than recorded',
      );
  }
}
