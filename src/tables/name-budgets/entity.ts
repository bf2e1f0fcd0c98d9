// The budget of tokens that a user spends on answers that name another person. The tokens of now follow from the time at which all of
// them will be back, so no job refills the budget. A user without a row has all tokens.
import { defineEntity } from '@mikro-orm/core';
import { moment } from '../columns.ts';
import { owner } from '../owner.ts';
import { byUser } from '../place.ts';

export const NameBudget = defineEntity({
  name: 'NameBudget',
  tableName: 'name_budgets',
  place: byUser,
  properties: {
    userId: () => owner().primary().updateRule('no action'),
    /** When all tokens are back, by the database's clock. In the past, all tokens are left. */
    fullAt: moment(),
    /** When the audit record was last told that no token was left. It is told once a day. */
    recordedAt: moment().nullable(),
  },
});
