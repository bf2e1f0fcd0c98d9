// A fresh quote taken for the second conversion or for the way back. Committed before the transfer is sent: as long as
// one of them lives, a transfer may still be on its way, and nothing may be concluded from not finding it.
import { defineEntity, p } from '@mikro-orm/core';
import { moment } from './columns.ts';

export const ConversionQuote = defineEntity({
  name: 'ConversionQuote',
  tableName: 'conversion_quotes',
  indexes: [{ name: 'conversion_quotes_payment', properties: ['paymentId', 'leg'] }],
  properties: {
    providerQuoteId: p.uuid().primary(),
    userId: p.uuid(),
    paymentId: p.uuid(),
    leg: p.enum(['leg2', 'reverse'] as const),
    /** For how long it holds from its receipt (`createdAt`), in milliseconds, as the provider states it. */
    lifeMs: p.bigint('number'),
    /** The provider says that it was used, though no transfer is found under the handle. */
    isConsumed: p.boolean().default(false),
    createdAt: moment(),
  },
});
