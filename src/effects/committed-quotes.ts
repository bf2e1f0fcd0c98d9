// The fresh quotes of a conversion: written down before the transfer is asked for, so that a request which may be on its way
// is known to every process, and forgotten once the provider has answered for them.
import type { App } from '../app.ts';
import { inTransaction } from '../database/transaction.ts';
import { livesTooLong } from '../domain/quote-life.ts';
import type { Entity } from '../entities/rows.ts';
import { lockRow } from '../lifecycle/advance.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import type { ProviderQuote } from '../provider/port.ts';
import { quoteLifetime, recordDiscrepancy } from '../snapshots/discrepancies.ts';
import { deleteConversionQuote, insertConversionQuote, markQuoteConsumed } from '../sql/conversion-quotes.ts';
import { causeOf } from './effect.ts';
import { lockEffect } from './lock-effect.ts';

export type RequotedLeg = 'leg2' | 'reverse';

/**
 * @returns false when the payment has moved on: then nothing may be sent any more.
 * @throws LeaseLost when another run has the effect: that one takes a quote of its own.
 */
export function commitQuote(
  app: App,
  effect: Entity<'Effect'>,
  leg: RequotedLeg,
  handle: string,
  quote: ProviderQuote,
): Promise<boolean> {
  return inTransaction(app.db, async (tx) => {
    const row = await lockRow(tx, pixPayment, { id: effect.subjectId, userId: effect.userId });
    if (row === null || row.seq !== effect.seq) return false;
    await lockEffect(tx, effect);
    await insertConversionQuote(tx, {
      providerQuoteId: quote.providerRef,
      userId: row.userId,
      paymentId: row.id,
      leg,
      lifeMs: quote.lifeMs,
    });
    if (livesTooLong(quote.lifeMs)) {
      const resource = {
        userId: row.userId,
        subjectKind: 'pix_payment',
        subjectId: row.id,
        handle,
      } as const;
      const now = app.clock.now();
      await recordDiscrepancy(tx, resource, quoteLifetime(quote, row.state, now), causeOf(effect), now);
    }
    return true;
  });
}

/** What was refused or never sent created nothing: no request with this quote is on its way, so none is waited for. */
export async function forgetQuote(
  app: App,
  { userId }: Pick<Entity<'Effect'>, 'userId'>,
  { providerRef }: Pick<ProviderQuote, 'providerRef'>,
): Promise<void> {
  await deleteConversionQuote(app.db, { providerQuoteId: providerRef, userId });
}

/** The quote was used, though nothing is found under the handle: until it is over, no other one is taken. */
export async function markConsumed(
  app: App,
  { userId }: Pick<Entity<'Effect'>, 'userId'>,
  { providerRef }: Pick<ProviderQuote, 'providerRef'>,
): Promise<void> {
  await markQuoteConsumed(app.db, { providerQuoteId: providerRef, userId });
}
