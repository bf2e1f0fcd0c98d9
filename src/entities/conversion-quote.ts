// A new quote for the second conversion or for the way back. Committed before the transfer is sent: while one of them is
// alive, a transfer may still be in flight, and not finding it proves nothing.
import { defineEntity, p } from '@mikro-orm/core';
import { enumOf, moment } from './columns.ts';

export const ConversionQuote = defineEntity({
  name: 'ConversionQuote',
  tableName: 'conversion_quotes',
  indexes: [{ name: 'conversion_quotes_payment', properties: ['paymentId', 'leg'] }],
  properties: {
    providerQuoteId: p.uuid().primary(),
    userId: p.uuid().primary(),
    paymentId: p.uuid(),
    leg: enumOf('requoted_leg', ['leg2', 'reverse']),
    /** How long it holds from its receipt (`createdAt`), in milliseconds, as the provider states it. */
    lifeMs: p.bigint('number'),
    /** The provider reports it as used, though no transfer is found under the handle. */
    isConsumed: p.boolean().default(false),
    createdAt: moment(),
  },
});
