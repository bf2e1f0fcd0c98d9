// The objects at the provider that we created or follow: their handles, the last snapshot that was applied, and the next poll.

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { fundsReserved, unfinished } from '../../../machines/states.ts';
import type { DatabaseTime } from '../../platform/database/database-time.ts';
import { oneOf } from '../../platform/database/one-of.ts';
import { pick } from '../../platform/database/prepared.ts';
import { equals, everyProperty, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';
import { isUnfinishedMoney } from '../unfinished.ts';
import { dueIn } from '../work.ts';

type Resource = Entity<'ProviderResource'>;
type Key = Pick<Resource, 'handle' | 'userId'>;
type OfSubject = Pick<Resource, 'subjectId' | 'userId'>;

/** A resource that has not been requested yet. */
type NewResource = Key &
  OfSubject &
  Pick<Resource, 'kind' | 'leg' | 'subjectKind' | 'traceparent' | 'createdAt'>;

/** Inserts nothing if the resource exists, which is the case when an effect is repeated. */
export const insertResource = prepared.count(
  (db, { handle, kind, leg, userId, subjectKind, subjectId, traceparent, createdAt }: NewResource) =>
    db
      .insertInto('ProviderResource')
      .values({ handle, kind, leg, userId, subjectKind, subjectId, traceparent, createdAt })
      .onConflict((conflict) => conflict.columns(['handle', 'userId']).doNothing()),
);

/** Makes the account's next poll due, which scans its movements. */
export const pollAccountNow = prepared.count(
  (_db, { userId, accountRef }: { userId: string; accountRef: string }) => sql`
    update provider_resources set poll_count = 0, next_poll_at = now()
    where user_id = ${userId} and provider_ref = ${accountRef} and kind = 'account'
      and (next_poll_at is null or next_poll_at > now())`,
);

type OfBalance = { userId: string; version: number };
type OfBalanceInSql = { userId: string; version: number | RawBuilder<number> };

/** The debits that were accepted here and are not known at the provider, and those that became known since `version`. */
const reservedDebits = ({ userId, version }: OfBalanceInSql) => sql`
  from provider_resources resource
  left join pix_payments payment on payment.id = resource.subject_id and payment.user_id = resource.user_id
  left join withdraws withdraw on withdraw.id = resource.subject_id and withdraw.user_id = resource.user_id
  where resource.user_id = ${userId}
    and (
      resource.debited_balance_version > ${version}
      or resource.provider_ref is null
        and (payment.state in ${oneOf(fundsReserved.pix_payment)} or withdraw.state in ${oneOf(fundsReserved.withdraw)})
    )`;

const amountMinor = sql`coalesce(sum(coalesce(payment.source_amount_minor, withdraw.amount_minor)), 0)::int8`;

/** Sums the debits that a balance read at `version` may still include. */
export const sumReserved = prepared.first(
  (_db, params: OfBalance) => sql<{ totalMinor: number }>`
    select ${amountMinor} as "totalMinor" ${reservedDebits(params)}`,
);

/** Sums those of the reserved debits that were never sent: no process has leased or tried their queued effect. */
export const sumUnsent = prepared.first(
  (_db, params: OfBalance) => sql<{ unsentMinor: number }>`
    select ${amountMinor} as "unsentMinor" ${reservedDebits(params)}
      and exists (
        select from effects
        where effects.subject_id = resource.subject_id and effects.user_id = resource.user_id
          and effects.status = 'queued' and effects.leased_by is null and effects.attempts = 0
      )`,
);

/**
 * Returns what the user can spend, in minor units: the last known balance minus the reserved debits. Returns no row if that balance is
 * older than `readSince`.
 */
export const findFreeBalance = prepared.first(
  (_db, { userId, readSince }: { userId: string; readSince: DatabaseTime }) => sql<{ freeMinor: number }>`
    select balance_minor - (
      select ${amountMinor} ${reservedDebits({ userId, version: sql`users.balance_version` })}
    ) as "freeMinor"
    from users
    where id = ${userId} and balance_minor is not null
      and balance_read_at > ${readSince}`,
);

export const findResource = prepared.first((db, { handle, userId }: Key) =>
  db.selectFrom('ProviderResource').selectAll().where(equals({ handle, userId })),
);

/** Finds the owner behind a user's verification, which was named when the verification began. */
export const findOwner = prepared.first((db, { kycId, userId }: { kycId: string; userId: string }) =>
  db
    .selectFrom('ProviderResource')
    .selectAll()
    .where(equals({ subjectId: kycId, userId, kind: 'owner' })),
);

/** Polls the resources of a payment or withdrawal again that are not polled any more. */
export const pollResourcesOfSubject = prepared.count((db, { subjectId, userId }: OfSubject) =>
  db
    .updateTable('ProviderResource')
    .set({ nextPollAt: dueIn(0) })
    .where(equals({ subjectId, userId, nextPollAt: null })),
);

export const lockResourceRow = prepared.first((db, { handle, userId }: Key) =>
  db.selectFrom('ProviderResource').selectAll().where(equals({ handle, userId })).forNoKeyUpdate(),
);

/** Finds the resource of any user. A report of the provider names only the handle. */
export const findResourceByHandle = prepared.first((db, { handle }: { handle: string }) =>
  db.selectFrom('ProviderResource').selectAll().where('handle', '=', handle),
);

export const listResourcesOfSubject = prepared.all((db, { subjectId, userId }: OfSubject) =>
  db.selectFrom('ProviderResource').selectAll().where(equals({ subjectId, userId })).orderBy('createdAt'),
);

/**
 * Finds an object of the payment that the provider last reported as pending. An object with a discrepancy does not count, because the
 * discrepancy blocks the payment until an operator has decided about the object.
 * @param params `resolution` is that of a vanished object which came back: no operator has decided about it.
 */
export const findPendingObject = prepared.first(
  (_db, params: OfSubject & { resolution: string }) => sql<Pick<Resource, 'kind' | 'leg'>>`
    select kind, leg from provider_resources resource
    where subject_id = ${params.subjectId} and user_id = ${params.userId} and snapshot_status = 'pending'
      and not exists (
        select from discrepancies
        where discrepancies.handle = resource.handle and discrepancies.user_id = resource.user_id
          and kind in ('contradicted_state', 'not_as_ordered', 'twin', 'vanished')
          and resolution is distinct from ${params.resolution}
      )
    limit 1`,
);

type OfAmount = { userId: string; amountBrlMinor: number };

/** Lists the payouts that the user's payments of this amount have ordered. */
export const listPayoutsOfAmount = prepared.all(
  (_db, { userId, amountBrlMinor }: OfAmount) => sql<
    Pick<Resource, 'handle' | 'providerRef'> & {
      paymentId: string;
    }
  >`
    select resource.handle, resource.provider_ref as "providerRef", payment.id as "paymentId"
    from provider_resources resource
    join pix_payments payment on payment.id = resource.subject_id and payment.user_id = resource.user_id
    where resource.user_id = ${userId} and resource.kind = 'payout' and payment.amount_brl_minor = ${amountBrlMinor}`,
);

export const findAnyAccountResource = prepared.first((db, { userId }: { userId: string }) =>
  db
    .selectFrom('ProviderResource')
    .select('handle')
    .where(equals({ userId, kind: 'account' }))
    .limit(sql.lit(1)),
);

export const listAppliedSnapshots = prepared.all((db, { handles }: { handles: string[] }) =>
  db
    .selectFrom('ProviderResource')
    .select([
      'handle',
      'providerRef',
      'snapshotUpdatedAt',
      'snapshotStatus',
      'snapshotAttempt',
      'snapshotContent',
    ])
    .where('handle', '=', isAnyOf(handles)),
);

export const listNamedHandles = prepared.all((db, { handles }: { handles: string[] }) =>
  db.selectFrom('ProviderResource').select('handle').where('handle', '=', isAnyOf(handles)),
);

const isAnyOf = (handles: string[]) => sql<string>`any(${handles}::uuid[])`;

/** Inserts a resource whose row was lost, with the snapshot that it was found by. */
export const insertAdoptedResource = prepared.count((db, resource: Resource) =>
  db.insertInto('ProviderResource').values(everyProperty('ProviderResource', resource)),
);

/** The columns that a snapshot changes. Null leaves a column unchanged, except `pollInMs`: null ends polling. */
type Reported = Key &
  Planned &
  Pick<Resource, 'snapshotUpdatedAt' | 'snapshotStatus' | 'snapshotAttempt' | 'snapshotContent'> &
  Pick<Resource, 'reasonSealed' | 'reasonSealedAt'> & {
    providerRef: string;
    /** Whether this is the first snapshot of a debit of the home account. The row then gets the current version of the balance. */
    isFirstDebit: boolean;
  };

export const updateReportedResource = prepared.count(
  (_db, params: Reported) => sql`
    update provider_resources
    set provider_ref = ${params.providerRef},
      next_poll_at = ${dueIn(params.pollInMs)},
      snapshot_updated_at = coalesce(${params.snapshotUpdatedAt}, snapshot_updated_at),
      snapshot_status = coalesce(${params.snapshotStatus}, snapshot_status),
      snapshot_attempt = coalesce(${params.snapshotAttempt}, snapshot_attempt),
      snapshot_content = coalesce(${params.snapshotContent}, snapshot_content),
      reason_sealed = coalesce(${params.reasonSealed}, reason_sealed),
      reason_sealed_at = coalesce(${params.reasonSealedAt}, reason_sealed_at),
      debited_balance_version = case
        when ${params.isFirstDebit} then (select balance_version from users where id = ${params.userId}::uuid)
        else debited_balance_version
      end
    where handle = ${params.handle} and user_id = ${params.userId}`,
);

type Leased = Key & { leaseToken: number };

/** Finds the resource unless another process leases it by now. */
export const findLeasedResource = prepared.first((db, { handle, userId, leaseToken }: Leased) =>
  db.selectFrom('ProviderResource').selectAll().where(equals({ handle, userId, leaseToken })),
);

/** The next poll, in milliseconds from now by the database's clock. Null ends polling. */
type Planned = { pollInMs: number | null };

type PollPlan = Key & Pick<Resource, 'pollCount'> & Planned;

/** Sets the number of polls. The next poll keeps its time. */
export const setPollCount = prepared.count(
  (db, { handle, userId, pollCount }: Key & Pick<Resource, 'pollCount'>) =>
    db.updateTable('ProviderResource').set({ pollCount }).where(equals({ handle, userId })),
);

/** Replaces the plan of a resource that is still polled and still leased. */
export const replanPoll = prepared.count(
  (db, { handle, userId, leaseToken, pollCount, pollInMs }: PollPlan & Leased) =>
    db
      .updateTable('ProviderResource')
      .set({ pollCount, nextPollAt: dueIn(pollInMs) })
      .where(equals({ handle, userId, leaseToken }))
      .where('nextPollAt', 'is not', null),
);

export const setNextPoll = prepared.count((db, { handle, userId, pollInMs }: Key & Planned) =>
  db
    .updateTable('ProviderResource')
    .set({ nextPollAt: dueIn(pollInMs) })
    .where(equals({ handle, userId })),
);

type Announcement = Planned & Key & { providerRef: string; announcedAt: Date };

/** Starts the polls over, unless the announced snapshot or a later one was applied or announced before. */
export const pollAnnouncedResource = prepared.count((db, params: Announcement) =>
  db
    .updateTable('ProviderResource')
    .set({ announcedAt: params.announcedAt, pollCount: 0, nextPollAt: dueIn(params.pollInMs) })
    .where(equals(pick(params, 'handle', 'userId', 'providerRef')))
    .where('snapshotUpdatedAt', '<', params.announcedAt)
    .where((is) => is.or([is('announcedAt', 'is', null), is('announcedAt', '<', params.announcedAt)])),
);

/** Starts the polls of a resource over that is not polled any more. */
export const resumePolls = prepared.count(
  (db, { providerRef, pollInMs }: Planned & { providerRef: string }) =>
    db
      .updateTable('ProviderResource')
      .set({ pollCount: 0, nextPollAt: dueIn(pollInMs) })
      .where(equals({ providerRef, nextPollAt: null })),
);

export const endPoll = prepared.count((db, params: Key & Leased & Pick<Resource, 'pollFailures'>) =>
  db
    .updateTable('ProviderResource')
    .set({ leasedBy: null, pollFailures: params.pollFailures })
    .where(equals(pick(params, 'handle', 'userId', 'leaseToken'))),
);

export const stopVerificationPolls = prepared.count((db, { userId }: { userId: string }) =>
  db
    .updateTable('ProviderResource')
    .set({ nextPollAt: null })
    .where(equals({ userId, kind: 'owner' })),
);

/** Finds the resource that follows an object of the provider, or that has the object as a twin. */
export const findResourceOfObject = prepared.first((db, { providerRef }: { providerRef: string }) =>
  db
    .selectFrom('ProviderResource')
    .selectAll()
    .where((is) =>
      is.or([
        is('providerRef', '=', providerRef),
        is('handle', 'in', (twins) =>
          twins
            .selectFrom('Discrepancy')
            .select('handle')
            .where(equals({ kind: 'twin', providerRef })),
        ),
      ]),
    ),
);

type Named = { providerRef: string | null; handle: string | null };

/** Lists the users of resources that callbacks name, by the provider's ids or by our handles. */
export const listNamedUsers = prepared.all(
  (_db, { providerRefs, handles }: { providerRefs: string[]; handles: string[] }) => sql<{
    name: string;
    userId: string;
  }>`
    select provider_ref as name, user_id from provider_resources where provider_ref = any(${providerRefs}::uuid[])
    union all
    select handle, user_id from provider_resources where handle = any(${handles}::uuid[])`,
);

/** Finds the trace context of a resource by the provider's id or by our handle. Returns no row if no resource is found. */
export const findNamedResource = prepared.first(
  (_db, { providerRef, handle }: Named) => sql<Pick<Resource, 'traceparent'>>`
    (select traceparent from provider_resources where provider_ref = ${providerRef}::uuid limit 1)
    union all
    (select traceparent from provider_resources where handle = ${handle}::uuid limit 1)
    limit 1`,
);

/** Follows an object of the provider as if no snapshot had been applied. */
export const resetSnapshot = prepared.count((db, params: Key & { providerRef: string }) =>
  db
    .updateTable('ProviderResource')
    .set({
      providerRef: params.providerRef,
      snapshotUpdatedAt: null,
      snapshotStatus: null,
      snapshotAttempt: null,
      snapshotContent: null,
      announcedAt: null,
      pollCount: 0,
    })
    .where(equals(pick(params, 'handle', 'userId'))),
);

/** A final payout whose last snapshot is older than `payoutsSince` sends no more callbacks. */
type Callbacks = { secretId: string; payoutsSince: DatabaseTime };

/** The condition that a resource may still send callbacks under another secret: always for an account, for others until they end. */
const isToBeMoved = ({ secretId, payoutsSince }: Callbacks): RawBuilder<SqlBool> => sql`(
  resource.provider_ref is not null and resource.kind <> 'contestation'
  and resource.callback_secret_id is distinct from ${secretId}::uuid
  and (
    resource.kind = 'account'
    or resource.next_poll_at is not null
    or resource.kind = 'payout' and resource.snapshot_updated_at > ${payoutsSince}
    or exists (
      select from kyc_verifications kyc
      where kyc.id = resource.subject_id and kyc.user_id = resource.user_id and kyc.state in ${oneOf(unfinished.kyc)}
    )
    or ${isUnfinishedMoney(sql`resource.subject_id`, sql`resource.user_id`)}
  )
)`;

/** A contestation has the callbacks of its payout. */
type CallbackTarget = Pick<Resource, 'handle'> & {
  kind: Exclude<Resource['kind'], 'contestation'>;
  ref: string;
};

export const listCallbacksToBeMoved = prepared.all(
  (_db, params: Callbacks & { after: string; createdUntil: Date; limit: number }) => sql<CallbackTarget>`
    select handle, kind, provider_ref as ref from provider_resources resource
    where handle > ${params.after} and ${isToBeMoved(params)} and created_at <= ${params.createdUntil}
    order by handle limit ${params.limit}`,
);

export const countCallbacksToBeMoved = prepared.first(
  (_db, params: Callbacks) => sql<{ count: number }>`
    select count(*) as count from provider_resources resource where ${isToBeMoved(params)}`,
);

export const setCallbackSecret = prepared.count(
  (_db, { handles, secretId }: { handles: string[]; secretId: string }) => sql`
    update provider_resources set callback_secret_id = ${secretId} where handle = any(${handles}::uuid[])`,
);
