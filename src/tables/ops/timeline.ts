// The rows behind the operators' timelines: from any id to the payment, withdrawal, deposit or user, and all that belongs to it.
import { sql } from 'kysely';
import { equals, prepared } from '../prepared.ts';

export type TimelineSubject = {
  kind: 'pix_payment' | 'withdraw' | 'deposit' | 'user';
  id: string;
  userId: string;
};

/** Lists the row with an id that people are given: of a payment, a quote, a transaction, a withdrawal or a user. */
export const listByOwnId = prepared.all(
  (_db, { id }: { id: string }) => sql<TimelineSubject>`
    select 'pix_payment' as kind, id, user_id from pix_payments
      where id = ${id} or transaction_id = ${id} or quote_id = ${id}
    union all select 'withdraw', id, user_id from withdraws where id = ${id}
    union all select 'deposit', id, user_id from transactions where id = ${id} and type = 'deposit'
    union all select 'user', id, id from users where id = ${id}`,
);

/** Lists the subject and the user of the rows with this id: a handle, the provider's id, an effect, a callback, a discrepancy. */
export const listByRelatedId = prepared.all(
  (_db, { id, provider }: { id: string; provider: string | null }) => sql<{
    subjectId: string | null;
    userId: string | null;
  }>`
    select subject_id, user_id from provider_resources where handle = ${id} or provider_ref = ${id}
    union all select subject_id, user_id from effects where id = ${id}
    union all select subject_id, user_id from discrepancies where id = ${id} or provider_ref = ${id}
    union all select transaction_id, null from webhook_events where id = ${id}
    union all select id, user_id from transactions where provider = ${provider} and provider_ref = ${id}
    union all select user_id, user_id from provider_accounts where id = ${id} or provider_account_id = ${id}`,
);

/** Finds the payment by an id on its receipt: the scheme's end-to-end id, or the provider's voucher. */
export const findPaymentByReceipt = prepared.first((db, { receipt }: { receipt: string }) =>
  db
    .selectFrom('PixPayment')
    .select(['id', 'userId'])
    .where((is) => is.or([is('endToEndId', '=', receipt), is('voucherId', '=', receipt)])),
);

/** Lists the row that a request created or moved. A request that only left an audit row has its user. */
export const listByRequest = prepared.all(
  (_db, { requestId }: { requestId: string }) => sql<{ subjectId: string; userId: string }>`
    (select subject_id, user_id from transitions
      where cause_kind = 'request' and cause_id = ${requestId} order by occurred_at desc limit 1)
    union all (select user_id, user_id from audit_events
      where request_id = ${requestId} and user_id is not null order by seq desc limit 1)`,
);

type Key = { id: string; userId: string };
type OfSubject = { subjectId: string; userId: string };

export const findPaymentInFull = prepared.first((db, { id, userId }: Key) =>
  db
    .selectFrom('PixPayment as payment')
    .innerJoin('Transaction as transaction', (join) =>
      join
        .onRef('transaction.id', '=', 'payment.transactionId')
        .onRef('transaction.userId', '=', 'payment.userId'),
    )
    .innerJoin('User as user', 'user.id', 'payment.userId')
    .selectAll('payment')
    .select(['transaction.status as transactionStatus', 'user.closedAt'])
    .where(equals({ 'payment.id': id, 'payment.userId': userId })),
);

export const findTransactionInFull = prepared.first((db, { id, userId }: Key) =>
  db.selectFrom('Transaction').selectAll().where(equals({ id, userId })),
);

export const listTransitions = prepared.all((db, { subjectId, userId }: OfSubject) =>
  db
    .selectFrom('Transition')
    .selectAll()
    .where(equals({ subjectId, userId }))
    .where('subjectKind', 'in', sql<'pix_payment'>`('pix_payment', 'withdraw')`)
    .orderBy('seq'),
);

export const listEffects = prepared.all((db, { subjectId, userId }: OfSubject) =>
  db.selectFrom('Effect').selectAll().where(equals({ subjectId, userId })).orderBy('seq'),
);

export const listCallbacksOf = prepared.all(
  (db, { transactionId, ids }: { transactionId: string; ids: string[] }) =>
    db
      .selectFrom('WebhookEvent')
      .select(['id', 'eventType', 'status', 'outcome', 'receivedAt'])
      .where((is) =>
        is.or([is('transactionId', '=', transactionId), is('id', '=', sql<string>`any(${ids}::uuid[])`)]),
      ),
);

export const listDiscrepanciesOf = prepared.all((db, { subjectId, userId }: OfSubject) =>
  db.selectFrom('Discrepancy').selectAll().where(equals({ subjectId, userId })),
);

export const listOperatorsChanges = prepared.all(
  (_db, { userId, subjectId }: { userId: string; subjectId: string }) => sql<{
    at: Date;
    action: string;
    details: Record<string, unknown>;
  }>`
    select occurred_at as at, action, details from audit_events
    where action like 'operator.%' and user_id = ${userId}
      and (
        details ->> 'target' = ${subjectId}::text
        or details ->> 'target' in (
          select id::text from effects where subject_id = ${subjectId}::uuid
          union all select id::text from discrepancies where subject_id = ${subjectId}::uuid
        )
      )`,
);

type OfUser = { userId: string };

export const listAccountsInOrder = prepared.all((db, { userId }: OfUser) =>
  db
    .selectFrom('ProviderAccount')
    .select(['id', 'currency'])
    .where('userId', '=', userId)
    .orderBy('createdAt'),
);

export const listLatestPayments = prepared.all((db, { userId, limit }: OfUser & { limit: number }) =>
  db
    .selectFrom('PixPayment')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt', 'desc')
    .limit(limit),
);

export const listLatestOthers = prepared.all((db, { userId, limit }: OfUser & { limit: number }) =>
  db
    .selectFrom('Transaction')
    .selectAll()
    .where('userId', '=', userId)
    .where('type', '<>', 'payment')
    .orderBy('createdAt', 'desc')
    .limit(limit),
);
