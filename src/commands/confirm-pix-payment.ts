// A confirmed quote becomes a payment: the customer's transaction, the payment and its first effect, in one commit.
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { handleFor } from '../domain/handles.ts';
import { newId } from '../domain/ids.ts';
import type { PixKeyType } from '../domain/pix-key.ts';
import { livesTooLong } from '../domain/quote-life.ts';
import type { PixPaymentRow, PixQuoteRow } from '../entities/rows.ts';
import { begin } from '../lifecycle/advance.ts';
import { quoteLifetime, recordDiscrepancy } from '../lifecycle/discrepancies.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';

export type ConfirmedPayment = {
  id: string;
  quote: PixQuoteRow;
  pixKeyType: PixKeyType;
  sealed: { pix_key_sealed: Buffer; recipient_name_sealed: Buffer | null };
};

/** The caller holds the user's lock, and has found the quote unused and unexpired and the balance sufficient. */
export async function confirmPixPayment(
  app: App,
  tx: Db,
  payment: ConfirmedPayment,
  cause: Cause,
): Promise<{ transactionId: string }> {
  const row = await beginPixPayment(app, tx, payment, pixPayment, cause, { type: 'confirmed' });
  if (livesTooLong(payment.quote.provider_life_ms)) await recordLongLife(tx, payment.quote, row, cause);
  return { transactionId: row.transaction_id };
}

async function recordLongLife(tx: Db, quote: PixQuoteRow, row: PixPaymentRow, cause: Cause): Promise<void> {
  const leg = quote.flow === 'direct' ? 'direct' : 'leg1';
  const resource = {
    user_id: row.user_id,
    subject_kind: 'pix_payment',
    subject_id: row.id,
    handle: handleFor(row.id, `conversion-${leg}`),
  } as const;
  const stated = { providerRef: quote.provider_quote_id, lifeMs: quote.provider_life_ms };
  await recordDiscrepancy(
    tx,
    resource,
    quoteLifetime(stated, row.state, row.created_at),
    cause,
    row.created_at,
  );
}

/** @param event what happens to it in the same moment; its transaction is `pending` then, too. */
export async function beginPixPayment(
  app: App,
  tx: Db,
  { id, quote, pixKeyType, sealed }: ConfirmedPayment,
  lifecycle: typeof pixPayment,
  cause: Cause,
  event?: { type: 'confirmed' },
): Promise<PixPaymentRow> {
  const now = app.clock.now();
  const transactionId = newId();
  const customersView = tx
    .insertInto('transactions')
    .values({
      id: transactionId,
      user_id: quote.user_id,
      type: 'payment',
      status: 'pending',
      source_currency: quote.source_currency,
      source_amount_minor: quote.source_amount_minor,
      dest_currency: 'BRL',
      dest_amount_minor: quote.amount_brl_minor,
      fx_rate: quote.rate,
      provider: app.config.provider.name,
      created_at: now,
    })
    .execute();
  const row = {
    id,
    user_id: quote.user_id,
    transaction_id: transactionId,
    quote_id: quote.id,
    flow: quote.flow,
    amount_brl_minor: quote.amount_brl_minor,
    source_currency: quote.source_currency,
    source_amount_minor: quote.source_amount_minor,
    usdc_quoted_minor: quote.usdc_quoted_minor,
    exchange_rate: quote.rate,
    pix_key_type: pixKeyType,
    ...sealed,
    home_debit_minor: null,
    usdc_delivered_minor: null,
    usdc_residual_minor: null,
    payout_attempt: 0,
    end_to_end_id: null,
    voucher_id: null,
    failure: null,
    acknowledged_seq: null,
    acknowledged_at: null,
    acknowledgement: null,
    expires_at: quote.expires_at,
    created_at: now,
  };
  const input = {
    flow: quote.flow,
    quotedSourceMinor: quote.source_amount_minor,
    amountBrlMinor: quote.amount_brl_minor,
  };
  const [, begun] = await Promise.all([customersView, begin(tx, lifecycle, row, input, cause, now, event)]);
  return begun;
}
