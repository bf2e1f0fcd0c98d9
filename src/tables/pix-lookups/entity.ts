// The owner of a PIX key, as the provider named them to a user before a payment. The payment that uses the look-up keeps the name.
import { defineEntity } from '@mikro-orm/core';
import { moment, pixKeyType, sealed } from '../columns.ts';
import { exported } from '../export-marks.ts';
import { owner } from '../owner.ts';
import { byUser } from '../place.ts';

export const PixLookup = defineEntity({
  name: 'PixLookup',
  tableName: 'pix_lookups',
  place: byUser,
  indexes: [{ name: 'pix_lookups_unused', properties: ['createdAt'], where: 'used_at is null' }],
  properties: {
    id: exported.uuid().primary(),
    userId: () => owner().primary().index(),
    /** The provider's id of the look-up. The payout names it. */
    providerLookupId: exported.uuid(),
    pixKeyType: pixKeyType(),
    pixKeySealed: sealed(),
    recipientNameSealed: sealed(),
    /** The tax number of a person is masked. */
    recipientTaxIdSealed: sealed(),
    institution: exported.text(),
    /** When a payment used it for the first time. Null for an unused look-up, which is deleted after a day. */
    usedAt: moment().nullable(),
    /** When its token came back, because a payout to the key was ordered. */
    tokenReturnedAt: moment().nullable(),
    /** Until when a payment may use it, by the database's clock. */
    expiresAt: moment(),
    createdAt: moment(),
  },
});
