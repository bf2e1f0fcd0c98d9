// A price for a PIX payment, locked for its user until it expires. The quote decides `flow`, which never changes.
import { defineEntity } from '@mikro-orm/core';
import { enumOf, homeCurrency, minorIn, minorOf, moment, rate } from '../columns.ts';
import { exported, ours } from '../export-marks.ts';
import { owner } from '../owner.ts';
import { byUser } from '../place.ts';

/** The flow of a payment: one conversion, or two conversions through USDC. */
export const paymentFlow = () => enumOf('payment_flow', ['direct', 'two_hop']);

export const PixQuote = defineEntity({
  name: 'PixQuote',
  tableName: 'pix_quotes',
  place: byUser,
  properties: {
    id: exported.uuid().primary(),
    userId: () => owner().primary().index(),
    flow: paymentFlow(),
    amountBrlMinor: minorOf('BRL').check('amount_brl_minor > 0'),
    sourceCurrency: homeCurrency(),
    sourceAmountMinor: minorIn('sourceCurrency').check('source_amount_minor > 0'),
    /**
     * The amount that leg 1 of two will deliver, in USDC minor units (6 places). Null for a single
     * conversion, or if it was not stored.
     */
    usdcQuotedMinor: minorOf('USDC').nullable(),
    rate: rate(),
    serviceSpreadBps: exported.integer(),
    /** The quote that is locked at the provider: of the only conversion, or of leg 1 of two. */
    providerQuoteId: exported.uuid(),
    /** The life of the provider's quote from its receipt (`createdAt`), in milliseconds, as the provider states it. */
    providerLifeMs: ours.bigint('number').defaultRaw('60000'),
    /** The time until which the user may confirm the quote. */
    expiresAt: moment().index('pix_quotes_expires_at'),
    createdAt: moment(),
  },
});
