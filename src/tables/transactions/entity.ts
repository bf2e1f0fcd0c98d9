// The customer's list of money movements: deposits, payments and withdrawals.
import { defineEntity } from '@mikro-orm/core';
import { states } from '../../../machines/states.ts';
import { enumOf, failure, minorIn, moment, rate, sealed } from '../columns.ts';
import { exported } from '../export-marks.ts';
import { owner } from '../owner.ts';
import { byUser } from '../place.ts';

export const Transaction = defineEntity({
  name: 'Transaction',
  tableName: 'transactions',
  place: byUser,
  indexes: [
    { name: 'transactions_user_page', properties: ['userId', 'createdAt', 'id'] },
    // Support finds a transaction by what it cost or what arrived, and its day.
    { name: 'transactions_source_amount', properties: ['sourceAmountMinor', 'createdAt'] },
    {
      name: 'transactions_dest_amount',
      properties: ['destAmountMinor', 'createdAt'],
      where: 'dest_amount_minor is not null',
    },
  ],
  uniques: [{ name: 'transactions_provider_ref_unique', properties: ['provider', 'providerRef', 'userId'] }],
  checks: [
    {
      // Only a payment has a destination. If a payment was lost in its second conversion, its amount in reais is unknown.
      name: 'transactions_dest_check',
      expression: `(dest_currency is null) = (dest_amount_minor is null) and (type = 'payment' or dest_currency is null)`,
    },
  ],
  properties: {
    id: exported.uuid().primary(),
    userId: () => owner().primary(),
    type: enumOf('transaction_type', ['deposit', 'payment', 'withdraw']),
    /** A withdrawal and its transaction have the same status. A payment's is pending until it ends. */
    status: enumOf('transaction_status', ['pending', ...states.withdraw]),
    sourceCurrency: exported.string().length(4),
    sourceAmountMinor: minorIn('sourceCurrency').check('source_amount_minor > 0'),
    destCurrency: exported.string().length(4).nullable(),
    destAmountMinor: minorIn('destCurrency').nullable(),
    fxRate: rate().nullable(),
    provider: exported.text(),
    /** The provider's movement behind a deposit. It is unique, so that a deposit is recorded once. */
    providerRef: exported.uuid().nullable(),
    /** The payer's reference on a deposit. It may name a person. */
    sourceReferenceSealed: sealed().nullable(),
    failure: failure(),
    createdAt: moment(),
    completedAt: moment().nullable(),
  },
});
