// Where a user's withdrawals go: one destination for each currency.
import { defineEntity, p } from '@mikro-orm/core';
import { homeCurrencies, moment, sealed } from './columns.ts';
import { owner } from './owner.ts';

export const BankDetails = defineEntity({
  name: 'BankDetails',
  tableName: 'bank_details',
  uniques: [{ properties: ['userId', 'currency'] }],
  properties: {
    id: p.uuid().primary(),
    userId: () => owner().primary(),
    currency: p.enum(homeCurrencies),
    detailsSealed: sealed(),
    /** Counts the saves: a validation of an older save does not apply to the present one. */
    version: p.integer(),
    validationStatus: p.enum(['match', 'close_match', 'no_match', 'unavailable'] as const).nullable(),
    validatedAt: moment().nullable(),
    createdAt: moment(),
    updatedAt: moment(),
  },
});
