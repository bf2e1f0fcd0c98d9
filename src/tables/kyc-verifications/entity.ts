// A user's identity verification. The row's id is the user's id, because each user has one verification.
import { defineEntity } from '@mikro-orm/core';
import { kycFailureCodes } from '../../../machines/kyc.machine.ts';
import { states, unfinished } from '../../../machines/states.ts';
import { enumOf, isAmong, lifecycle, moment, sealed, sealedAt } from '../columns.ts';
import { exported } from '../export-marks.ts';
import { owner } from '../owner.ts';
import { byUser } from '../place.ts';

export const KycVerification = defineEntity({
  name: 'KycVerification',
  tableName: 'kyc_verifications',
  place: byUser,
  indexes: [
    { name: 'kyc_verifications_unfinished', properties: ['id'], where: isAmong('state', unfinished.kyc) },
    {
      name: 'kyc_verifications_ages',
      properties: ['state', 'stateEnteredAt'],
      where: isAmong('state', unfinished.kyc),
    },
  ],
  properties: {
    id: exported.uuid().primary(),
    userId: () => owner().primary().unique(),
    ...lifecycle('kyc', states.kyc),
    level: enumOf('kyc_level', ['basic', 'standard', 'enhanced']).nullable(),
    /** The number of the current or last attempt, as the provider counts them. */
    attempt: exported.integer().default(1),
    /** Why the last attempt failed, if the provider says so. */
    failureCode: enumOf('kyc_failure_code', kycFailureCodes).nullable(),
    identitySealed: sealed({ version: 'identitySealedAt' }).nullable(),
    identitySealedAt: sealedAt().nullable(),
    completedAt: moment().nullable(),
    createdAt: moment(),
    updatedAt: moment(),
  },
});
