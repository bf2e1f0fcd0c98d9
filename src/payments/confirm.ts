// Turns a confirmed quote into a payment: writes the customer's transaction, the payment and its first effect, in one commit.

import { handleFor } from '../domain/handles.ts';
import { newId } from '../domain/ids.ts';
import type { PixKeyType } from '../domain/pix-key.ts';
import { livesTooLong } from '../domain/quote-life.ts';
import { begin } from '../lifecycle/advance.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import type { Config } from '../platform/config/config.ts';
import type { Db } from '../platform/database/orm.ts';
import type { Entity } from '../platform/entities/rows.ts';
import { insertTransaction } from '../platform/sql/transactions.ts';
import { quoteLifetime, recordDiscrepancy } from '../reports/discrepancies.ts';

export type ConfirmedPayment = {
  id: string;
  quote: Entity<'PixQuote'>;
  pixKeyType: PixKeyType;
  sealed: { pixKeySealed: Buffer; recipientNameSealed: Buffer | null };
};

/**
 * Writes a confirmed payment. The caller holds the user's lock, and has found the quote unused and
 * unexpired and the balance sufficient.
 * @param now the database's clock, which also set the quote's times.
 */
export async function confirmPixPayment(
  { config }: { config: Config },
  tx: Db,
  payment: ConfirmedPayment,
  cause: Cause,
  now: Date,
): Promise<{ transactionId: string }> {
  const row = await beginPixPayment({ config }, tx, payment, pixPayment, cause, now, { type: 'confirmed' });
  if (livesTooLong(payment.quote.providerLifeMs)) await recordLongLife(tx, payment.quote, row, cause);
  return { transactionId: row.transactionId };
}

async function recordLongLife(
  tx: Db,
  quote: Entity<'PixQuote'>,
  row: Entity<'PixPayment'>,
  cause: Cause,
): Promise<void> {
  const leg = quote.flow === 'direct' ? 'direct' : 'leg1';
  const resource = {
    userId: row.userId,
    subjectKind: 'pix_payment',
    subjectId: row.id,
    handle: handleFor(row.id, `conversion-${leg}`),
  } as const;
  const stated = { providerRef: quote.providerQuoteId, lifeMs: quote.providerLifeMs };
  await recordDiscrepancy(
    tx,
    resource,
    quoteLifetime(stated, row.state, row.createdAt),
    cause,
    row.createdAt,
  );
}

/**
 * Writes a payment in its first state.
 * @param event is applied in the same commit. The transaction's status is `pending` either way.
 */
export async function beginPixPayment(
  { config }: { config: Config },
  tx: Db,
  { id, quote, pixKeyType, sealed }: ConfirmedPayment,
  lifecycle: typeof pixPayment,
  cause: Cause,
  now: Date,
  event?: { type: 'confirmed' },
): Promise<Entity<'PixPayment'>> {
  const transactionId = newId();
  const customersView = insertTransaction(tx, {
    id: transactionId,
    userId: quote.userId,
    type: 'payment',
    status: 'pending',
    sourceCurrency: quote.sourceCurrency,
    sourceAmountMinor: quote.sourceAmountMinor,
    destCurrency: 'BRL',
    destAmountMinor: quote.amountBrlMinor,
    fxRate: quote.rate,
    provider: config.provider.name,
    providerRef: null,
    sourceReferenceSealed: null,
    failure: null,
    createdAt: now,
    completedAt: null,
  });
  const row = {
    id,
    userId: quote.userId,
    transactionId,
    quoteId: quote.id,
    flow: quote.flow,
    amountBrlMinor: quote.amountBrlMinor,
    sourceCurrency: quote.sourceCurrency,
    sourceAmountMinor: quote.sourceAmountMinor,
    usdcQuotedMinor: quote.usdcQuotedMinor,
    exchangeRate: quote.rate,
    pixKeyType,
    ...sealed,
    homeDebitMinor: null,
    usdcDeliveredMinor: null,
    usdcResidualMinor: null,
    brlResidualMinor: null,
    returnCapBps: null,
    payoutAttempt: 0,
    endToEndId: null,
    voucherId: null,
    failure: null,
    acknowledgedSeq: null,
    acknowledgedAt: null,
    acknowledgement: null,
    settlementAmountMinor: null,
    settlementCurrency: null,
    settlementReference: null,
    settlementProposedBy: null,
    settlementConfirmedBy: null,
    settledAt: null,
    expiresAt: quote.expiresAt,
    createdAt: now,
  };
  const input = {
    flow: quote.flow,
    quotedSourceMinor: quote.sourceAmountMinor,
    amountBrlMinor: quote.amountBrlMinor,
  };
  const [, begun] = await Promise.all([customersView, begin(tx, lifecycle, row, input, cause, now, event)]);
  return begun;
}
