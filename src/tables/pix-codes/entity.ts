// A PIX code, as the provider read it for a user before a payment. The payment that uses the code keeps the name.
import { defineEntity } from '@mikro-orm/core';
import { enumOf, minorOf, moment, pixKeyType, sealed } from '../columns.ts';
import { exported } from '../export-marks.ts';
import { owner } from '../owner.ts';
import { byUser } from '../place.ts';

export const PixCode = defineEntity({
  name: 'PixCode',
  tableName: 'pix_codes',
  place: byUser,
  indexes: [{ name: 'pix_codes_unused', properties: ['createdAt'], where: 'used_at is null' }],
  properties: {
    id: exported.uuid().primary(),
    userId: () => owner().primary().index(),
    /** The provider's id of the code. The payout names it. */
    providerCodeId: exported.uuid(),
    kind: enumOf('pix_code_kind', ['static', 'dynamic']),
    /** The provider's id of the charge, the same for every user. Null in a static code. */
    chargeId: exported.uuid().nullable(),
    pixKeyType: pixKeyType(),
    pixKeySealed: sealed(),
    recipientNameSealed: sealed(),
    institution: exported.text(),
    /** Null if the payer decides. */
    amountBrlMinor: minorOf('BRL').nullable().check('amount_brl_minor > 0'),
    /** Whether only this amount can be paid. */
    isAmountFixed: exported.boolean(),
    /** When the charge expires, as the provider says. Null if it does not. */
    chargeExpiresAt: moment().nullable(),
    /** When a payment used it for the first time. Null for an unused code, which is deleted after a day. */
    usedAt: moment().nullable(),
    /** When its token came back, because the payout was ordered. */
    tokenReturnedAt: moment().nullable(),
    /** Until when a payment may use it, by the database's clock. The charge may expire earlier. */
    expiresAt: moment(),
    createdAt: moment(),
  },
});
