// The destination of a user's withdrawals, one per currency.
import { defineEntity } from '@mikro-orm/core';
import { homeCurrency, moment, sealed, validationStatus } from '../columns.ts';
import { exported } from '../export-marks.ts';
import { owner } from '../owner.ts';
import { byUser } from '../place.ts';

export const BankDetails = defineEntity({
  name: 'BankDetails',
  tableName: 'bank_details',
  place: byUser,
  uniques: [{ properties: ['userId', 'currency'] }],
  properties: {
    id: exported.uuid().primary(),
    userId: () => owner().primary(),
    currency: homeCurrency(),
    detailsSealed: sealed({ row: 'currency', version: 'version' }),
    /** The number of saves. The validation of an older save does not apply to the current one. */
    version: exported.integer(),
    validationStatus: validationStatus().nullable(),
    validatedAt: moment().nullable(),
    createdAt: moment(),
    updatedAt: moment(),
  },
});
