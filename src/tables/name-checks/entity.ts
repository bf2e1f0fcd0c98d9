// A check of the name on a user's bank account, before a withdrawal. The withdrawal keeps the result. The check is deleted after a day.
import { defineEntity } from '@mikro-orm/core';
import { moment, sealed, validationStatus } from '../columns.ts';
import { exported } from '../export-marks.ts';
import { owner } from '../owner.ts';
import { byUser } from '../place.ts';

export const NameCheck = defineEntity({
  name: 'NameCheck',
  tableName: 'name_checks',
  place: byUser,
  indexes: [
    { name: 'name_checks_of_details', properties: ['userId', 'bankDetailsId', 'createdAt'] },
    { name: 'name_checks_created', properties: ['createdAt'] },
  ],
  properties: {
    id: exported.uuid().primary(),
    userId: () => owner().primary(),
    bankDetailsId: exported.uuid(),
    /** The save of the details that was checked. A check of another one does not count. */
    bankDetailsVersion: exported.integer(),
    validationStatus: validationStatus(),
    /** The name on the account, as the bank suggests it after a close match. */
    suggestedNameSealed: sealed().nullable(),
    /** Until when a withdrawal may use it, by the database's clock. */
    expiresAt: moment(),
    createdAt: moment(),
  },
});
