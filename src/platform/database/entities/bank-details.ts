// The destination of a user's withdrawals, one per currency.
import { defineEntity, p } from '@mikro-orm/core';
import { enumOf, homeCurrency, moment, sealed } from './columns.ts';
import { owner } from './owner.ts';

const validationStatuses = ['match', 'close_match', 'no_match', 'unavailable'] as const;

export const BankDetails = defineEntity({
  name: 'BankDetails',
  tableName: 'bank_details',
  uniques: [{ properties: ['userId', 'currency'] }],
  properties: {
    id: p.uuid().primary(),
    userId: () => owner().primary(),
    currency: homeCurrency(),
    detailsSealed: sealed(),
    /** The number of saves. The validation of an older save does not apply to the current one. */
    version: p.integer(),
    validationStatus: enumOf('bank_validation_status', validationStatuses).nullable(),
    validatedAt: moment().nullable(),
    createdAt: moment(),
    updatedAt: moment(),
  },
});
