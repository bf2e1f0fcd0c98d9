// A withdrawal. Its id is the id of its transaction, so that clients poll one id. The destination is a sealed copy.
import { defineEntity, p } from '@mikro-orm/core';
import { states, unfinished } from '../../../../machines/states.ts';
import { enumOf, failure, homeCurrency, isAmong, lifecycle, minor, moment, sealed } from './columns.ts';
import { owner } from './owner.ts';

export const Withdraw = defineEntity({
  name: 'Withdraw',
  tableName: 'withdraws',
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
    id: p.uuid().primary(),
    userId: () => owner().primary(),
    ...lifecycle('withdraw', states.withdraw),
    currency: homeCurrency(),
    amountMinor: minor().check('amount_minor > 0'),
    rail: enumOf('rail', ['FPS', 'SEPA']),
    bankDetailsId: p.uuid(),
    bankDetailsVersion: p.integer(),
    destinationSealed: sealed(),
    expectedSettlementSeconds: p.integer(),
    failure: failure(),
    createdAt: moment(),
    updatedAt: moment(),
  },
});
