// Stores the fresh quotes of a conversion. A quote is committed before the transfer is requested, so that every process knows
// which requests may be in flight. It is deleted once the provider has answered every request with it.

import type { Clock } from '../domain/clock.ts';
import { livesTooLong } from '../domain/quote-life.ts';
import { lockRow } from '../lifecycle/advance.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { inDbTransaction } from '../platform/database/db-transaction.ts';
import type { RefusalCode } from '../provider/errors.ts';
import type { ProviderQuote } from '../provider/port.ts';
import { quoteLifetime, recordDiscrepancy } from '../reports/discrepancies.ts';
import {
  deleteConversionQuote,
  insertConversionQuote,
  markQuoteConsumed,
} from '../tables/conversion-quotes/statements.ts';
import type { Db } from '../tables/orm.ts';
import type { Entity } from '../tables/rows.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { lockEffect } from './complete.ts';
import { causeOf } from './effect.ts';

export type RequotedLeg = 'leg2' | 'reverse' | 'return';

/** A quote that runs use again while it is alive. `isReused`: an earlier run, or the operator's command, committed it. */
export type SharedQuote = Pick<ProviderQuote, 'providerRef'> & { isReused: boolean };

/**
 * Commits a quote before a transfer is requested with it. A quote that claims too long a life is also recorded as a discrepancy.
 * @returns false if the payment has a newer transition than the one that emitted the effect: then the caller must send nothing.
 * @throws LeaseLost if another run has the effect: that run takes its own quote.
 */
export function commitQuote(
  { db, clock }: { db: Db; clock: Clock },
  effect: Entity<'Effect'>,
  leg: RequotedLeg,
  handle: string,
  quote: ProviderQuote,
): Promise<boolean> {
  return inDbTransaction(db, async (tx) => {
    const row = await lockRow(tx, pixPayment, { id: effect.subjectId, userId: effect.userId });
    if (row === null || row.seq !== effect.seq) return false;
    await lockEffect(tx, effect);
    await insertQuote(tx, row, { leg, handle, quote }, causeOf(effect), clock.now());
    return true;
  });
}

/** Inserts a quote in the caller's transaction, which has locked the payment. A life that is too long is recorded as a discrepancy. */
export async function insertQuote(
  tx: Db,
  row: Entity<'PixPayment'>,
  { leg, handle, quote }: { leg: RequotedLeg; handle: string; quote: ProviderQuote },
  cause: Cause,
  now: Date,
): Promise<void> {
  const { id: paymentId, userId, state } = row;
  const { providerRef: providerQuoteId, lifeMs } = quote;
  await insertConversionQuote(tx, { providerQuoteId, userId, paymentId, leg, lifeMs });
  if (!livesTooLong(lifeMs)) return;
  const resource = { userId, subjectKind: 'pix_payment', subjectId: paymentId, handle } as const;
  await recordDiscrepancy(tx, resource, quoteLifetime(quote, state, now), cause, now);
}

/** Deletes a quote whose request provably created nothing: no request in flight has to be waited for. */
export async function forgetQuote(
  db: Db,
  { userId }: Pick<Entity<'Effect'>, 'userId'>,
  { providerRef }: Pick<ProviderQuote, 'providerRef'>,
): Promise<void> {
  await deleteConversionQuote(db, { providerQuoteId: providerRef, userId });
}

/**
 * Deletes the quote of a refused request. A consumed quote is marked instead, because its transfer may still appear: the conversion
 * takes no other quote until it has expired.
 */
export async function releaseQuote(
  db: Db,
  effect: Pick<Entity<'Effect'>, 'userId'>,
  quote: Pick<ProviderQuote, 'providerRef'>,
  refusal: RefusalCode,
): Promise<void> {
  if (refusal !== 'quote_consumed') return forgetQuote(db, effect, quote);
  await keepAsBound(db, effect, quote);
}

/** Marks a quote as consumed: it is not used again, and bounds how long a request with it may be in flight. */
const keepAsBound = (
  db: Db,
  { userId }: Pick<Entity<'Effect'>, 'userId'>,
  { providerRef: providerQuoteId }: Pick<ProviderQuote, 'providerRef'>,
): Promise<number> => markQuoteConsumed(db, { providerQuoteId, userId });

/**
 * Releases the quote of a refused request that several runs may have sent. If an earlier run may have left it unanswered, no refusal
 * deletes the quote: the provider may still execute that request.
 * @throws LeaseLost if another run has the effect, and perhaps has sent a request with the quote.
 */
export function releaseSharedQuote(
  db: Db,
  effect: Entity<'Effect'>,
  quote: SharedQuote,
  refusal: RefusalCode,
): Promise<unknown> {
  return inDbTransaction(db, async (tx) => {
    const { lastUnknownAt } = await lockEffect(tx, effect);
    const mayBeInFlight = quote.isReused && lastUnknownAt !== null;
    return mayBeInFlight ? keepAsBound(tx, effect, quote) : releaseQuote(tx, effect, quote, refusal);
  });
}
