// A withdrawal. Its id is the id of its transaction, so that clients poll one id. The destination is a sealed copy.
import { defineEntity } from '@mikro-orm/core';
import { states, unfinished } from '../../../machines/states.ts';
import {
  enumOf,
  failure,
  homeCurrency,
  isAmong,
  lifecycle,
  minorIn,
  moment,
  sealed,
  validationStatus,
} from '../columns.ts';
import { exported } from '../export-marks.ts';
import { owner } from '../owner.ts';
import { byUser } from '../place.ts';

export const Withdraw = defineEntity({
  name: 'Withdraw',
  tableName: 'withdraws',
  place: byUser,
  indexes: [
    { name: 'withdraws_user_page', properties: ['userId', 'createdAt', 'id'] },
    { name: 'withdraws_unfinished', properties: ['id'], where: isAmong('state', unfinished.withdraw) },
    {
      name: 'withdraws_ages',
      properties: ['state', 'rail', 'stateEnteredAt'],
      where: isAmong('state', unfinished.withdraw),
    },
  ],
  properties: {
    id: exported.uuid().primary(),
    userId: () => owner().primary(),
    ...lifecycle('withdraw', states.withdraw),
    currency: homeCurrency(),
    amountMinor: minorIn('currency').check('amount_minor > 0'),
    rail: enumOf('rail', ['FPS', 'SEPA']),
    bankDetailsId: exported.uuid(),
    bankDetailsVersion: exported.integer(),
    destinationSealed: sealed(),
    /** The result of the check of the name that the withdrawal was accepted with. Null if there was none. */
    nameCheck: validationStatus().nullable(),
    expectedSettlementSeconds: exported.integer(),
    failure: failure(),
    createdAt: moment(),
    updatedAt: moment(),
  },
});
