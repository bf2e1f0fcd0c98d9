// A PIX payment: the promised amount, the recipient, and the machine's record of the money.
import { defineEntity } from '@mikro-orm/core';
import { states, unfinished } from '../../../machines/states.ts';
import { contestationStatuses } from '../../domain/contestations.ts';
import { payoutFailureCodes, payoutLimits } from '../../domain/payout-failures.ts';
import {
  enumOf,
  failure,
  homeCurrency,
  isAmong,
  lifecycle,
  minorIn,
  minorOf,
  moment,
  pixKeyType,
  rate,
  sealed,
  searchable,
  searchHash,
} from '../columns.ts';
import { exported, operators, ours } from '../export-marks.ts';
import { owner } from '../owner.ts';
import { PixQuote, paymentFlow } from '../pix-quotes/entity.ts';
import { byUser } from '../place.ts';
import { Transaction } from '../transactions/entity.ts';

/** The currencies of a settlement. Users never see USDC. */
const settlementCurrencies = ['GBP', 'EUR', 'BRL'] as const;

type IdColumn = ReturnType<typeof exported.uuid>;

/** A reference to a row of the same user. The foreign key has the row's id and the user's id; statements use only the row's id. */
const oneOfSameUser = (entity: typeof PixQuote | typeof Transaction, idColumn: string): IdColumn =>
  exported
    .oneToOne(entity)
    .mapToPk()
    .owner()
    .joinColumns(idColumn, 'user_id')
    .deleteRule('restrict')
    .updateRule('no action') as unknown as IdColumn;

export const PixPayment = defineEntity({
  name: 'PixPayment',
  tableName: 'pix_payments',
  place: byUser,
  indexes: [
    { name: 'pix_payments_user_page', properties: ['userId', 'createdAt', 'id'] },
    searchable('pix_payments_pix_key_hash', 'pix_payments', 'pix_key_hash'),
    {
      // Banks name this id in their enquiries.
      name: 'pix_payments_end_to_end_id',
      expression:
        'create index pix_payments_end_to_end_id on pix_payments (end_to_end_id) where end_to_end_id is not null',
    },
    {
      // Receipts show this id, so users and merchants quote it.
      name: 'pix_payments_voucher_id',
      expression:
        'create index pix_payments_voucher_id on pix_payments (voucher_id) where voucher_id is not null',
    },
    {
      // A credit is used by one return.
      name: 'pix_payments_return_credit',
      expression:
        'create unique index pix_payments_return_credit on pix_payments (user_id, return_credit_ref) where return_cap_bps is not null',
    },
    {
      // Completed payments that their user's recipients lack.
      name: 'pix_payments_without_recipient',
      properties: ['userId', 'stateEnteredAt', 'id'],
      where: "state = 'completed' and recipient_id is null",
    },
    { name: 'pix_payments_unfinished', properties: ['id'], where: isAmong('state', unfinished.pix_payment) },
    {
      // An acknowledged payment needs no further attention, however long it stays in its state.
      name: 'pix_payments_ages',
      properties: ['state', 'stateEnteredAt'],
      where: `${isAmong('state', unfinished.pix_payment)} and acknowledged_seq is distinct from seq`,
    },
  ],
  properties: {
    id: exported.uuid().primary(),
    userId: () => owner().primary(),
    transactionId: () => oneOfSameUser(Transaction, 'transaction_id'),
    /** Unique, so that a quote pays once even under concurrent requests. */
    quoteId: () => oneOfSameUser(PixQuote, 'quote_id'),
    ...lifecycle('pix_payment', states.pix_payment),
    flow: paymentFlow(),
    amountBrlMinor: minorOf('BRL').check('amount_brl_minor > 0'),
    sourceCurrency: homeCurrency(),
    sourceAmountMinor: minorIn('sourceCurrency').check('source_amount_minor > 0'),
    usdcQuotedMinor: minorOf('USDC').nullable(),
    exchangeRate: rate(),
    pixKeyType: pixKeyType(),
    pixKeySealed: sealed(),
    pixKeyHash: searchHash().nullable(),
    recipientNameSealed: sealed().nullable(),
    /** The look-up that named the recipient. A used look-up is kept as long as its payment, so no foreign key is needed. */
    lookupId: exported.uuid().nullable(),
    /** The code that the payment pays. A used code is kept as long as its payment, so no foreign key is needed. */
    codeId: exported.uuid().nullable(),
    /** The recipient, once the completed payment is among those that its user has paid. */
    recipientId: exported.uuid().nullable(),
    homeDebitMinor: minorIn('sourceCurrency').nullable(),
    usdcDeliveredMinor: minorOf('USDC').nullable(),
    usdcResidualMinor: minorOf('USDC').nullable(),
    brlResidualMinor: minorOf('BRL').nullable(),
    /** The highest price of a return that the company bears, in basis points. Null unless an operator returns the payment. */
    returnCapBps: exported.integer().nullable(),
    /**
     * The movement that credited the failed payout, by the provider's id. A return uses it, once. Until the return begins, it is one
     * operator's proposal.
     */
    returnCreditRef: exported.uuid().nullable(),
    /** The operator who named the movement. Null if the movements alone decided. */
    returnCreditProposedBy: operators.text().nullable(),
    /** The second operator. Never the one who named it. */
    returnCreditConfirmedBy: operators.text().nullable(),
    /** The sum of the parts that came back while the payment stayed completed, in centavos. Null if nothing came back. */
    returnedBrlMinor: minorOf('BRL').nullable(),
    /** What the user sees of the payment's contestation. Null if the payment was not contested. */
    contestationStatus: enumOf('contestation_status', contestationStatuses).nullable(),
    payoutAttempt: exported.integer().default(0),
    endToEndId: exported.text().nullable(),
    voucherId: exported.text().nullable(),
    failure: failure(),
    /** Why the payout failed, as the provider says. Null if it does not say, or if the payment waits for no retry. */
    payoutFailureCode: enumOf('payout_failure_code', payoutFailureCodes).nullable(),
    payoutFailureLimit: enumOf('payout_limit', payoutLimits).nullable(),
    /** From when a retry can succeed, as the provider says. */
    payoutRetryFrom: moment().nullable(),
    /**
     * The `seq` of the transition into a state that needs support, once an operator has acknowledged it. A later
     * transition needs a new acknowledgement.
     */
    acknowledgedSeq: ours.integer().nullable(),
    acknowledgedAt: moment().nullable(),
    /** The operator's reason why the payment needs no further attention. */
    acknowledgement: exported.text().nullable(),
    /** The settlement made outside the service. Until `settledAt` is set, it is one operator's proposal. */
    settlementAmountMinor: minorIn('settlementCurrency').nullable(),
    settlementCurrency: enumOf('settlement_currency', settlementCurrencies).nullable(),
    /** The operators' reference of the settlement, such as the bank's id of the transfer. */
    settlementReference: exported.text().nullable(),
    settlementProposedBy: operators.text().nullable(),
    /** The second operator. Never the one who proposed it. */
    settlementConfirmedBy: operators.text().nullable(),
    settledAt: moment().nullable(),
    expiresAt: moment(),
    createdAt: moment(),
    updatedAt: moment(),
  },
});
