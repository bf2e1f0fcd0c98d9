// A price for a PIX payment, locked for its user until it expires. `flow` is decided here and never changes.
import { defineEntity, p } from '@mikro-orm/core';
import { enumOf, homeCurrency, minor, moment, rate } from './columns.ts';
import { owner } from './owner.ts';

/** One conversion, or two by way of USDC. */
export const paymentFlow = () => enumOf('payment_flow', ['direct', 'two_hop']);

export const PixQuote = defineEntity({
  name: 'PixQuote',
  tableName: 'pix_quotes',
  properties: {
    id: p.uuid().primary(),
    userId: () => owner().primary().index(),
    flow: paymentFlow(),
    amountBrlMinor: minor().check('amount_brl_minor > 0'),
    sourceCurrency: homeCurrency(),
    sourceAmountMinor: minor().check('source_amount_minor > 0'),
    /** What leg 1 of two will deliver, in USDC minor units (6 places); null for one conversion, or where it was not kept. */
    usdcQuotedMinor: minor().nullable(),
    rate: rate(),
    serviceSpreadBps: p.integer(),
    /** The quote locked at the provider: the whole conversion, or leg 1 of two. */
    providerQuoteId: p.uuid(),
    /** How long the provider's quote holds from its receipt (`createdAt`), in milliseconds, as the provider states it. */
    providerLifeMs: p.bigint('number').defaultRaw('60000'),
    /** Until when the user may confirm it. */
    expiresAt: moment().index('pix_quotes_expires_at'),
    createdAt: moment(),
  },
});
