// A new quote for the second conversion, the reverse one or a return. It is committed before the transfer is sent. While a quote is
// valid, its transfer may still be in flight, so a look-up that finds nothing proves nothing.
import { defineEntity } from '@mikro-orm/core';
import { enumOf, moment } from '../columns.ts';
import { exported } from '../export-marks.ts';
import { byUser } from '../place.ts';

export const ConversionQuote = defineEntity({
  name: 'ConversionQuote',
  tableName: 'conversion_quotes',
  place: byUser,
  indexes: [{ name: 'conversion_quotes_payment', properties: ['paymentId', 'leg'] }],
  properties: {
    providerQuoteId: exported.uuid().primary(),
    userId: exported.uuid().primary(),
    paymentId: exported.uuid(),
    leg: enumOf('requoted_leg', ['leg2', 'reverse', 'return']),
    /** How long the quote is valid from its receipt (`createdAt`), in milliseconds, as the provider states it. */
    lifeMs: exported.bigint('number'),
    /**
     * The provider reports the quote as used, although no transfer is found under the handle; or a request with it was refused while
     * an earlier one is unanswered. The quote is not used again.
     */
    isConsumed: exported.boolean().default(false),
    createdAt: moment(),
  },
});
