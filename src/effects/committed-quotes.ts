// The fresh quotes of a conversion: written down before the transfer is asked for, so that a request which may be on its way
// is known to every process, and forgotten once the provider has answered for them.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import { inTransaction } from '../database/transaction.ts';
import { livesTooLong } from '../domain/quote-life.ts';
import type { EffectRow } from '../entities/rows.ts';
import { lockRow } from '../lifecycle/advance.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import type { ProviderQuote } from '../provider/port.ts';
import { quoteLifetime, recordDiscrepancy } from '../snapshots/discrepancies.ts';
import { causeOf } from './effect.ts';
import { lockEffect } from './lock-effect.ts';

export type RequotedLeg = 'leg2' | 'reverse';

/**
 * @returns false when the payment has moved on: then nothing may be sent any more.
 * @throws LeaseLost when another run has the effect: that one takes a quote of its own.
 */
export function commitQuote(
  app: App,
  effect: EffectRow,
  leg: RequotedLeg,
  handle: string,
  quote: ProviderQuote,
): Promise<boolean> {
  return inTransaction(app.db, async (tx) => {
    const row = await lockRow(tx, pixPayment, { id: effect.subject_id, userId: effect.user_id });
    if (row === null || row.seq !== effect.seq) return false;
    await lockEffect(tx, effect);
    await tx
      .insertInto('conversion_quotes')
      .values({
        provider_quote_id: quote.providerRef,
        user_id: row.userId,
        payment_id: row.id,
        leg,
        life_ms: quote.lifeMs,
        // By the database's clock: another process finds out by it when a request with this quote is over.
        created_at: sql<Date>`now()`,
      })
      .execute();
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
  { user_id: userId }: Pick<EffectRow, 'user_id'>,
  { providerRef }: Pick<ProviderQuote, 'providerRef'>,
): Promise<void> {
  await app.db
    .deleteFrom('conversion_quotes')
    .where('provider_quote_id', '=', providerRef)
    .where('user_id', '=', userId)
    .execute();
}

/** The quote was used, though nothing is found under the handle: until it is over, no other one is taken. */
export async function markConsumed(
  app: App,
  { user_id: userId }: Pick<EffectRow, 'user_id'>,
  { providerRef }: Pick<ProviderQuote, 'providerRef'>,
): Promise<void> {
  await app.db
    .updateTable('conversion_quotes')
    .set({ is_consumed: true })
    .where('provider_quote_id', '=', providerRef)
    .where('user_id', '=', userId)
    .execute();
}
