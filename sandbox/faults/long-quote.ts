// Quotes that claim to live longer than they do.
import type { Call } from '../provider/operation.ts';
import type { QuoteRow } from '../store/rows.ts';
import { isoTime } from '../time.ts';
import type { World } from '../world.ts';
import { recordInjected, shouldInject, subjectOf } from './occurrence.ts';

/** The quote as the provider reports it, possibly with a longer life than it has. */
export function promised(world: World, call: Call, quote: QuoteRow): QuoteRow {
  const occurrence = shouldInject(world, 'longQuote', call);
  if (!occurrence) return quote;
  const lifeMs = Number(
    occurrence.details['longQuoteMs'] ?? world.faultInjection.configuration().provider.longQuoteMs,
  );
  const expires_at = world.now() + lifeMs;
  const details = { expires_at: isoTime(quote.expires_at), promised: isoTime(expires_at) };
  recordInjected(world, 'longQuote', { ...subjectOf(call), uuid: quote.uuid }, details);
  return { ...quote, expires_at };
}
