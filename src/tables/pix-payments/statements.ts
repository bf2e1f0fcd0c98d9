// The PIX payments. Their states are written by `advance` alone (lifecycles.ts).

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { PixPaymentEvent } from '../../../machines/pix-payment.machine.ts';
import { needsSupport, states, unfinished } from '../../../machines/states.ts';
import { statusOf } from '../../../machines/step.ts';
import { oneOf } from '../../platform/database/one-of.ts';
import { asProperties } from '../../platform/database/prepared.ts';
import {
  type FilteredPageStart,
  isAfter,
  isAmong,
  isBetween,
  isLastReadable,
  matchesOrIsLast,
  type PageStart,
  type ReadRow,
  readRow,
} from '../paging.ts';
import { equals, prepared } from '../prepared.ts';
import { refsByCurrency } from '../provider-accounts/statements.ts';
import type { Entity } from '../rows.ts';
import { callerClosedAt } from '../users/statements.ts';

export const findPixPayment = prepared.first((db, { userId, id }: { userId: string; id: string }) =>
  db.selectFrom('PixPayment').selectAll().where(equals({ userId, id })),
);

const shownProperties = [
  'id',
  'userId',
  'transactionId',
  'state',
  'amountBrlMinor',
  'sourceCurrency',
  'sourceAmountMinor',
  'exchangeRate',
  'pixKeyType',
  'pixKeySealed',
  'recipientNameSealed',
  'endToEndId',
  'voucherId',
  'failure',
  'payoutFailureCode',
  'payoutFailureLimit',
  'payoutRetryFrom',
  'returnedBrlMinor',
  'contestationStatus',
  'settlementAmountMinor',
  'settlementCurrency',
  'settledAt',
  'expiresAt',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof Entity<'PixPayment'>)[];

export type ShownPixPayment = Pick<Entity<'PixPayment'>, (typeof shownProperties)[number]>;

export const findShownPixPayment = prepared.first((db, { userId, id }: { userId: string; id: string }) =>
  db
    .selectFrom('PixPayment as payment')
    .select(asProperties('payment', ...shownProperties))
    .select(callerClosedAt(userId))
    .where(equals({ userId, id })),
);

/** A payment with what its receipt shows of the payer's identity check and of the recipient's look-up or code. */
export type PaymentForReceipt = NonNullable<Awaited<ReturnType<typeof findPaymentForReceipt>>>;

export const findPaymentForReceipt = prepared.first((db, { userId, id }: { userId: string; id: string }) =>
  db
    .selectFrom('PixPayment as payment')
    .leftJoin('KycVerification as kyc', 'kyc.userId', 'payment.userId')
    .leftJoin('PixLookup as lookup', (join) =>
      join.onRef('lookup.id', '=', 'payment.lookupId').onRef('lookup.userId', '=', 'payment.userId'),
    )
    .leftJoin('PixCode as code', (join) =>
      join.onRef('code.id', '=', 'payment.codeId').onRef('code.userId', '=', 'payment.userId'),
    )
    .select(
      asProperties(
        'payment',
        'id',
        'userId',
        'state',
        'stateEnteredAt',
        'failure',
        'amountBrlMinor',
        'pixKeyType',
        'pixKeySealed',
        'recipientNameSealed',
        'lookupId',
        'codeId',
        'endToEndId',
        'returnedBrlMinor',
      ),
    )
    .select(asProperties('kyc', 'identitySealed', 'identitySealedAt'))
    .select(({ fn }) => fn.coalesce('lookup.institution', 'code.institution').as('recipientInstitution'))
    .select(callerClosedAt(userId))
    .where(equals({ 'payment.userId': userId, 'payment.id': id })),
);

/** Finds what says whether a payment still needs the charge that it claimed. */
export const findClaimant = prepared.first((db, { userId, id }: { userId: string; id: string }) =>
  db.selectFrom('PixPayment').select(['state', 'failure']).where(equals({ userId, id })),
);

export const findPixPaymentOfQuote = prepared.first(
  (db, { userId, quoteId }: { userId: string; quoteId: string }) =>
    db.selectFrom('PixPayment').selectAll().where(equals({ userId, quoteId })),
);

export const listPixPayments = prepared.all((db, params: PageStart & { userId: string }) =>
  db
    .selectFrom('PixPayment as payment')
    .select(asProperties('payment', ...shownProperties))
    .select(callerClosedAt(params.userId))
    .where('userId', '=', params.userId)
    .where(isAfter('payment', params))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(params.rows),
);

/** Only filters say whether the payment matches. */
export type ListedPixPayment = Awaited<ReturnType<typeof listPixPayments>>[number] & Partial<ReadRow>;

/** Null excludes no row. */
type PixPaymentFilters = {
  states: Entity<'PixPayment'>['state'][] | null;
  minAmountMinor: number | null;
  maxAmountMinor: number | null;
  minAmountBrlMinor: number | null;
  maxAmountBrlMinor: number | null;
};

/** Lists payments that match filters, and the last one that may be read. See `listMatchingTransactions`. */
export const listMatchingPixPayments = prepared.all(
  (db, params: FilteredPageStart & PixPaymentFilters & { userId: string }) => {
    const matches = sql<boolean>`${isAmong('one.state', params.states)}
      and ${isBetween('one.source_amount_minor', params.minAmountMinor, params.maxAmountMinor)}
      and ${isBetween('one.amount_brl_minor', params.minAmountBrlMinor, params.maxAmountBrlMinor)}`;
    const read = db
      .selectFrom('PixPayment as one')
      .selectAll()
      .select([matches.as('matches'), isLastReadable('one', params).as('isLast')])
      .where('one.userId', '=', params.userId)
      .where(isAfter('one', params))
      .where('one.createdAt', '>=', sql<Date>`${params.from}::timestamptz`)
      .orderBy('one.createdAt', 'desc')
      .orderBy('one.id', 'desc')
      .limit(params.readable);
    return db
      .selectFrom(read.as('payment'))
      .select(asProperties('payment', ...shownProperties))
      .select(readRow('payment'))
      .select(callerClosedAt(params.userId))
      .where(matchesOrIsLast('payment'))
      .orderBy('payment.createdAt', 'desc')
      .orderBy('payment.id', 'desc')
      .limit(params.rows);
  },
);

/** The number of payments that one statement lists is a literal in it. */
export const WITHOUT_RECIPIENT_PAGE = 200;

/** Lists a page of the user's completed payments that name no recipient yet, the newest first. */
export const listWithoutRecipient = prepared.all(
  (_db, { userId }: { userId: string }) => sql<
    Pick<Entity<'PixPayment'>, 'id' | 'pixKeyType' | 'pixKeySealed'>
  >`
    select id, pix_key_type as "pixKeyType", pix_key_sealed as "pixKeySealed" from pix_payments
    where user_id = ${userId} and state = 'completed' and recipient_id is null
    order by state_entered_at desc, id desc
    limit ${sql.lit(WITHOUT_RECIPIENT_PAGE)}`,
);

/** Names the recipient of some of a user's completed payments. A payment that names its recipient already stays as it is. */
export const setRecipient = prepared.all(
  (db, { userId, ids, recipientId }: { userId: string; ids: string[]; recipientId: string }) =>
    db
      .updateTable('PixPayment')
      .set({ recipientId })
      .where('id', '=', sql<string>`any(${ids}::uuid[])`)
      .where(equals({ userId, state: 'completed', recipientId: null }))
      .returning('id'),
);

const underway = states.pix_payment.filter((state) => ['converting', 'paying'].includes(statusOf(state)));
/** Older payments have ended, or wait for a person. */
const NEWEST = 100;

/** Counts the user's newest payments that are `converting` or `paying`. */
export const countUnderway = prepared.first(
  (_db, { userId }: { userId: string }) => sql<{ count: number }>`
    select count(*)::int as count from (
      select state from pix_payments where user_id = ${userId} order by created_at desc, id desc limit ${sql.lit(NEWEST)}
    ) as newest
    where state in ${oneOf(underway)}`,
);

/** The condition for rows of `pix_payments` whose present state no operator has acknowledged, in statements without a join. */
export const isNotAcknowledged = sql<SqlBool>`acknowledged_seq is distinct from seq`;

export const listUnfinishedOrders = prepared.all(
  (_db, { userIds }: { userIds: string[] }) => sql<{ id: string }>`
    select id from pix_payments
    where user_id = any(${userIds}::uuid[]) and state in ${oneOf(unfinished.pix_payment)}
    union all
    select id from withdraws
    where user_id = any(${userIds}::uuid[]) and state in ${oneOf(unfinished.withdraw)}`,
);

type Key = { id: string; userId: string };

/** Finds the data that the request of a conversion with the payment's locked quote needs. */
export const findLockedConversion = prepared.first((db, { id, userId }: Key) =>
  db
    .selectFrom('PixPayment')
    .innerJoin('PixQuote', (join) =>
      join.onRef('PixQuote.id', '=', 'PixPayment.quoteId').onRef('PixQuote.userId', '=', 'PixPayment.userId'),
    )
    .select([
      'PixPayment.id',
      'PixPayment.sourceCurrency',
      'PixQuote.providerQuoteId',
      'PixQuote.createdAt as receivedAt',
      'PixQuote.providerLifeMs as lifeMs',
      refsByCurrency(userId).as('refs'),
    ])
    .where(equals({ 'PixPayment.id': id, 'PixPayment.userId': userId })),
);

/** Finds the amounts for which the fresh quote of a conversion is requested. */
export const findConversionToQuote = prepared.first((db, { id, userId }: Key) =>
  db
    .selectFrom('PixPayment')
    .select([
      'id',
      'userId',
      'sourceCurrency',
      'amountBrlMinor',
      'homeDebitMinor',
      'usdcDeliveredMinor',
      'returnCapBps',
      'returnCreditRef',
      'returnCreditConfirmedBy',
      'payoutAttempt',
    ])
    .where(equals({ id, userId })),
);

export const findPaymentToPayOut = prepared.first((db, { id, userId }: Key) =>
  db
    .selectFrom('PixPayment')
    .select([
      'id',
      'userId',
      'amountBrlMinor',
      'payoutAttempt',
      'pixKeyType',
      'pixKeySealed',
      'recipientNameSealed',
      'lookupId',
      'codeId',
      refsByCurrency(userId).as('refs'),
    ])
    .where(equals({ id, userId })),
);

/** Finds the accounts and currency with which the payment's conversions were requested. */
export const findOrderedConversion = prepared.first((db, { id, userId }: Key) =>
  db
    .selectFrom('PixPayment')
    .select(['sourceCurrency', refsByCurrency(userId).as('refs')])
    .where(equals({ id, userId })),
);

export const findPixPaymentById = prepared.first((db, { id }: { id: string }) =>
  db.selectFrom('PixPayment').selectAll().where('id', '=', id),
);

/** Raises or lowers what the company bears of a return that waits for a price. */
export const updateReturnCap = prepared.count(
  (db, { id, userId, returnCapBps }: Key & { returnCapBps: number }) =>
    db.updateTable('PixPayment').set({ returnCapBps }).where(equals({ id, userId })),
);

type ReturnCredit = Key & { creditRef: string; by: string };

/** Keeps one operator's claim that a movement credited the payout, in place of an earlier claim. */
export const proposeReturnCredit = prepared.count((db, { id, userId, creditRef, by }: ReturnCredit) =>
  db
    .updateTable('PixPayment')
    .set({ returnCreditRef: creditRef, returnCreditProposedBy: by, returnCreditConfirmedBy: null })
    .where(equals({ id, userId })),
);

/** Keeps the operator who confirmed which movement credited the payout. The return uses the movement. */
export const confirmReturnCredit = prepared.count((db, { id, userId, by }: Key & { by: string }) =>
  db.updateTable('PixPayment').set({ returnCreditConfirmedBy: by }).where(equals({ id, userId })),
);

/** Keeps the credit that a return uses, which the movements alone have shown. Null if there was no payout to credit. */
export const setReturnCredit = prepared.count(
  (db, { id, userId, creditRef }: Key & { creditRef: string | null }) =>
    db
      .updateTable('PixPayment')
      .set({ returnCreditRef: creditRef, returnCreditProposedBy: null, returnCreditConfirmedBy: null })
      .where(equals({ id, userId })),
);

/** Lists the credits that returns of the user's other payments have used. */
export const listOtherReturnCredits = prepared.all(
  (_db, { id, userId }: Key) => sql<{ creditRef: string }>`
    select return_credit_ref as "creditRef" from pix_payments
    where user_id = ${userId} and id <> ${id} and return_cap_bps is not null and return_credit_ref is not null`,
);

/** Shows a contestation's status in its payment. */
export const setContestationStatus = prepared.count(
  (db, { id, userId, contestationStatus }: Key & Pick<Entity<'PixPayment'>, 'contestationStatus'>) =>
    db.updateTable('PixPayment').set({ contestationStatus }).where(equals({ id, userId })),
);

/** Shows in a payment how much of it came back while it stayed completed. */
export const setReturnedAmount = prepared.count(
  (db, { id, userId, returnedBrlMinor }: Key & { returnedBrlMinor: number }) =>
    db.updateTable('PixPayment').set({ returnedBrlMinor }).where(equals({ id, userId })),
);

type Proposal = Key & { amountMinor: number; currency: 'GBP' | 'EUR' | 'BRL'; reference: string; by: string };

/** Keeps one operator's proposal of a settlement, in place of an earlier proposal. */
export const proposeSettlement = prepared.count((db, params: Proposal) =>
  db
    .updateTable('PixPayment')
    .set({
      settlementAmountMinor: params.amountMinor,
      settlementCurrency: params.currency,
      settlementReference: params.reference,
      settlementProposedBy: params.by,
    })
    .where(equals({ id: params.id, userId: params.userId, settledAt: null })),
);

export const confirmSettlement = prepared.count((db, { id, userId, by }: Key & { by: string }) =>
  db.updateTable('PixPayment').set({ settlementConfirmedBy: by }).where(equals({ id, userId })),
);

type Acknowledgement = Key & { transition: number; at: Date; reason: string };

export const acknowledgeTransition = prepared.count(
  (db, { id, userId, transition, at, reason }: Acknowledgement) =>
    db
      .updateTable('PixPayment')
      .set({ acknowledgedSeq: transition, acknowledgedAt: at, acknowledgement: reason })
      .where(equals({ id, userId })),
);

/** Sums the USDC and the BRL that the conversions of payments without `manual_review` left over, in minor units. */
export const sumResidues = prepared.first(
  (_db, { userId }: { userId: string }) => sql<{ usdcMinor: number; brlMinor: number }>`
    select coalesce(sum(usdc_residual_minor), 0)::bigint as "usdcMinor",
      coalesce(sum(brl_residual_minor), 0)::bigint as "brlMinor"
    from pix_payments where user_id = ${userId} and state not in ${oneOf(needsSupport.pix_payment)}`,
);

/** The events by which the provider reports that a payment's debit is back in the home account. */
const restoring = [
  'return.completed',
  'reverse.completed',
  'direct.failed',
  'leg1.failed',
] as const satisfies PixPaymentEvent['type'][];

/** The id of a payment's user, as a parameter or as a column of the statement. */
type UserId = string | RawBuilder<unknown>;

/**
 * The part of the debit of a payment in `manual_review` that is back in the home account, in minor units. Null if the provider has not
 * reported any. The payment's state takes no event, so late reports are found in the discrepancies. A conversion that failed was never
 * kept, so all of its debit is back. What the conversion of partial returns has brought counts as well. Use it in a statement in which
 * `payment` is a row of `pix_payments`, of this user.
 */
const restoredMinor = (userId: UserId) => sql<number | null>`nullif(coalesce((
  select max(coalesce((event_data ->> 'destinationAmountMinor')::bigint,
    greatest(payment.home_debit_minor, payment.source_amount_minor)))
  from (
    select event, event_data from transitions
    where subject_kind = 'pix_payment' and subject_id = payment.id and user_id = ${userId}
    union all
    select event, event_data from discrepancies
    where kind = 'contradicted_state' and subject_id = payment.id and user_id = ${userId}
  ) as reported
  where event in ${oneOf(restoring)}
), 0) + (
  select coalesce(sum(home_credit_minor), 0)::bigint from payout_refunds
  where payment_id = payment.id and user_id = ${userId}
), 0)`;

const isUnsettledReview = sql<SqlBool>`
  payment.state in ${oneOf(needsSupport.pix_payment)} and payment.settled_at is null`;

/** Whether a payment in `manual_review` still owes its user money. */
export const isOwing = (userId: UserId) => sql<SqlBool>`
  ${isUnsettledReview} and coalesce(${restoredMinor(userId)}, 0) < coalesce(payment.home_debit_minor, payment.source_amount_minor)`;

/** What a payment in `manual_review` without a settlement has restored of its debit. Null for every other payment. */
export const restoredIfUnsettled = (userId: string) =>
  sql<number | null>`case when ${isUnsettledReview} then ${restoredMinor(userId)} end`;

export const findRestored = prepared.first(
  (_db, { id, userId }: Key) => sql<{ restoredMinor: number | null }>`
    select ${restoredMinor(userId)} as "restoredMinor" from pix_payments payment where id = ${id} and user_id = ${userId}`,
);

/** Finds a payment of the user that waits for an operator, has no settlement, and has not restored its debit. */
export const findOwing = prepared.first(
  (_db, { userId }: { userId: string }) => sql<{ id: string }>`
    select id from pix_payments payment
    where user_id = ${userId} and ${isOwing(userId)}
    limit 1`,
);

/** Lists the user's payments in `manual_review` that owe the user nothing: they were settled, or their debit was restored. */
export const listSettled = prepared.all(
  (_db, { userId }: { userId: string }) => sql<Pick<Entity<'PixPayment'>, 'id' | 'flow'>>`
    select id, flow from pix_payments payment
    where user_id = ${userId} and state in ${oneOf(needsSupport.pix_payment)} and not (${isOwing(userId)})`,
);
