// A part of a completed payment that came back to the user's BRL account, and its conversion to the home currency.
import { defineEntity } from '@mikro-orm/core';
import { states, unfinished } from '../../../machines/states.ts';
import { homeCurrency, isAmong, lifecycle, minorIn, minorOf, moment } from '../columns.ts';
import { exported } from '../export-marks.ts';
import { byUser } from '../place.ts';

export const PayoutRefund = defineEntity({
  name: 'PayoutRefund',
  tableName: 'payout_refunds',
  place: byUser,
  // A movement is converted once.
  uniques: [{ properties: ['movementRef', 'userId'] }],
  indexes: [
    { name: 'payout_refunds_payment', properties: ['paymentId', 'userId'] },
    {
      name: 'payout_refunds_unfinished',
      properties: ['id'],
      where: isAmong('state', unfinished.payout_refund),
    },
    {
      name: 'payout_refunds_ages',
      properties: ['state', 'stateEnteredAt'],
      where: isAmong('state', unfinished.payout_refund),
    },
  ],
  properties: {
    id: exported.uuid().primary(),
    /** Without a foreign key: an insert would lock the user's row after the payment's. */
    userId: exported.uuid().primary(),
    ...lifecycle('payout_refund', states.payout_refund),
    paymentId: exported.uuid(),
    /** The movement that credited the BRL account, by the provider's id. */
    movementRef: exported.uuid(),
    amountBrlMinor: minorOf('BRL').check('amount_brl_minor > 0'),
    homeCurrency: homeCurrency(),
    attempt: exported.integer().default(0),
    homeCreditMinor: minorIn('homeCurrency').nullable(),
    /** The quote of the present conversion, by the provider's id. Null until an operator has requested one. */
    providerQuoteId: exported.uuid().nullable(),
    /** What that quote delivers. Null in rows whose quote an earlier version took. */
    quotedHomeMinor: minorIn('homeCurrency').nullable(),
    /** How long the provider said that the quote is valid, in milliseconds from its receipt. */
    quoteLifeMs: exported.bigint('number').nullable(),
    /** When the quote was received, by the database's clock. */
    quotedAt: moment().nullable(),
    /** When the provider says that the money came back. */
    creditedAt: moment(),
    createdAt: moment(),
    updatedAt: moment(),
  },
});
