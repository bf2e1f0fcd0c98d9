// The partial returns of payments. Their states are written by `advance` alone (lifecycles.ts).
import { sql } from 'kysely';
import { unfinished } from '../../../machines/states.ts';
import { oneOf } from '../../platform/database/one-of.ts';
import { equals, prepared } from '../prepared.ts';
import { refsByCurrency } from '../provider-accounts/statements.ts';
import type { Entity } from '../rows.ts';

type Row = Entity<'PayoutRefund'>;
type Key = Pick<Row, 'id' | 'userId'>;
type OfPayment = Pick<Row, 'paymentId' | 'userId'>;

export const listRefundsOfPayment = prepared.all((db, { paymentId, userId }: OfPayment) =>
  db
    .selectFrom('PayoutRefund')
    .selectAll()
    .where(equals({ paymentId, userId }))
    .orderBy('creditedAt')
    .orderBy('id'),
);

/** Finds the partial return of a movement. An operator's command names only the movement. */
export const findRefundOfMovement = prepared.first((db, { movementRef }: { movementRef: string }) =>
  db.selectFrom('PayoutRefund').selectAll().where('movementRef', '=', movementRef),
);

/** Finds what the request of a conversion needs. */
export const findRefundToConvert = prepared.first((db, { id, userId }: Key) =>
  db
    .selectFrom('PayoutRefund')
    .selectAll()
    .select(refsByCurrency(userId).as('refs'))
    .where(equals({ id, userId })),
);

/** Lists the movements that are partial returns. They prove nothing about other payouts. */
export const listRefundMovements = prepared.all((db, { userId }: { userId: string }) =>
  db.selectFrom('PayoutRefund').select('movementRef').where(equals({ userId })),
);

type Quoted = Key & {
  providerQuoteId: string;
  quotedHomeMinor: number;
  quoteLifeMs: number;
  quotedAt: Date;
};

/** Keeps the quote that the next conversion uses. `quotedAt` is by the database's clock. */
export const setRefundQuote = prepared.count(
  (db, { id, userId, providerQuoteId, quotedHomeMinor, quoteLifeMs, quotedAt }: Quoted) =>
    db
      .updateTable('PayoutRefund')
      .set({ providerQuoteId, quotedHomeMinor, quoteLifeMs, quotedAt })
      .where(equals({ id, userId })),
);

/** Finds a partial return of the user that was not converted yet. One that is settled with its payment needs no conversion. */
export const findUnconvertedRefund = prepared.first(
  (_db, { userId }: { userId: string }) => sql<{ id: string }>`
    select id from payout_refunds
    where user_id = ${userId} and state in ${oneOf(unfinished.payout_refund)} limit 1`,
);

/** Lists the parts of the users that are not converted yet, or not known to be. */
export const listUnconvertedRefunds = prepared.all(
  (_db, { userIds }: { userIds: string[] }) => sql<Pick<Row, 'movementRef' | 'attempt'>>`
    select movement_ref as "movementRef", attempt from payout_refunds
    where user_id = any(${userIds}::uuid[]) and state in ${oneOf(unfinished.payout_refund)}`,
);

type WaitingRefund = Pick<Row, 'paymentId' | 'movementRef' | 'amountBrlMinor' | 'state'> & { since: Date };

export const listPartialReturns = prepared.all(
  (_db, { limit }: { limit: number }) => sql<WaitingRefund>`
    select payment_id as "paymentId", movement_ref as "movementRef", amount_brl_minor as "amountBrlMinor", state,
      state_entered_at as since
    from payout_refunds where state in ${oneOf(unfinished.payout_refund)}
    order by state_entered_at limit ${limit}`,
);
