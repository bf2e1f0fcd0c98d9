// A contestation of a completed payment. A payment has at most one.
import { defineEntity } from '@mikro-orm/core';
import { states, unfinished } from '../../../machines/states.ts';
import { contestationReasons } from '../../domain/contestations.ts';
import { enumOf, isAmong, lifecycle, moment, sealed } from '../columns.ts';
import { exported } from '../export-marks.ts';
import { byUser } from '../place.ts';

export const Contestation = defineEntity({
  name: 'Contestation',
  tableName: 'contestations',
  place: byUser,
  uniques: [{ properties: ['paymentId', 'userId'] }],
  indexes: [
    {
      name: 'contestations_unfinished',
      properties: ['id'],
      where: isAmong('state', unfinished.contestation),
    },
    {
      name: 'contestations_ages',
      properties: ['state', 'stateEnteredAt'],
      where: isAmong('state', unfinished.contestation),
    },
  ],
  properties: {
    id: exported.uuid().primary(),
    /** Without a foreign key: an insert would lock the user's row after the payment's. */
    userId: exported.uuid().primary(),
    ...lifecycle('contestation', states.contestation),
    paymentId: exported.uuid(),
    reason: enumOf('contestation_reason', contestationReasons),
    /** What happened, in the user's own words. */
    descriptionSealed: sealed(),
    resolvedAt: moment().nullable(),
    createdAt: moment(),
    updatedAt: moment(),
  },
});
