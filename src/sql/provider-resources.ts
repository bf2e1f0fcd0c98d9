// The objects at the provider that we created or follow: their handles, the last snapshot that was applied, and the next poll.
import { sql } from 'kysely';
import { fundsReserved } from '../../machines/states.ts';
import { oneOf } from '../database/one-of.ts';
import { prepared } from '../database/prepared.ts';
import type { Entity } from '../entities/rows.ts';

/** A resource that has not been requested yet. */
type NewResource = Pick<
  Entity<'ProviderResource'>,
  'handle' | 'kind' | 'leg' | 'userId' | 'subjectKind' | 'subjectId' | 'createdAt'
>;

/** A repeated effect finds its resource: then nothing is written. */
export const insertResource = prepared.count((db, given: NewResource) =>
  db
    .insertInto('ProviderResource')
    .values({
      handle: given.handle,
      kind: given.kind,
      leg: given.leg,
      userId: given.userId,
      subjectKind: given.subjectKind,
      subjectId: given.subjectId,
      createdAt: given.createdAt,
    })
    .onConflict((conflict) => conflict.columns(['handle', 'userId']).doNothing()),
);

/** Makes the account's next poll due, which scans its movements. */
export const pollAccountNow = prepared.count(
  (_db, { userId, accountRef }: { userId: string; accountRef: string }) => sql`
    update provider_resources set poll_count = 0, next_poll_at = now()
    where user_id = ${userId} and provider_ref = ${accountRef} and kind = 'account'
      and (next_poll_at is null or next_poll_at > now())`,
);

type Reserved = {
  /** Minor units of money that a balance read at `version` may include although it is promised. */
  totalMinor: number;
  /** The part whose debit was never sent, so the balance certainly includes it. */
  unsentMinor: number;
  /** When it was read, by the database's clock. */
  now: Date;
};

/**
 * Sums the debits that were accepted here and are not known at the provider, and those that became known since the balance was
 * read at `version`. A queued effect that no process has leased or tried was never sent.
 */
export const sumReserved = prepared.first(
  (_db, { userId, version }: { userId: string; version: number }) => sql<Reserved>`
    select coalesce(sum(amount_minor), 0)::int8 as "totalMinor",
      coalesce(sum(amount_minor) filter (where is_unsent), 0)::int8 as "unsentMinor",
      clock_timestamp() as now
    from (
      select coalesce(payment.source_amount_minor, withdraw.amount_minor) as amount_minor,
        exists (
          select from effects
          where effects.subject_id = resource.subject_id and effects.user_id = resource.user_id
            and effects.status = 'queued' and effects.leased_by is null and effects.attempts = 0
        ) as is_unsent
      from provider_resources resource
      left join pix_payments payment on payment.id = resource.subject_id and payment.user_id = resource.user_id
      left join withdraws withdraw on withdraw.id = resource.subject_id and withdraw.user_id = resource.user_id
      where resource.user_id = ${userId}
        and (
          resource.debited_balance_version > ${version}
          or resource.provider_ref is null
            and (payment.state in ${oneOf(fundsReserved.pix_payment)} or withdraw.state in ${oneOf(fundsReserved.withdraw)})
        )
    ) as reserved`,
);

export const findResource = prepared.first((db, { handle, userId }: { handle: string; userId: string }) =>
  db.selectFrom('ProviderResource').selectAll().where('handle', '=', handle).where('userId', '=', userId),
);

/** Finds the owner behind a user's verification, which was named when the verification began. */
export const findOwner = prepared.first((db, { kycId, userId }: { kycId: string; userId: string }) =>
  db
    .selectFrom('ProviderResource')
    .selectAll()
    .where('subjectId', '=', kycId)
    .where('userId', '=', userId)
    .where('kind', '=', 'owner'),
);

/** Polls the resources of a payment or withdrawal again that are not polled any more. */
export const pollResourcesOfSubject = prepared.count(
  (db, given: { subjectId: string; userId: string; now: Date }) =>
    db
      .updateTable('ProviderResource')
      .set({ nextPollAt: given.now })
      .where('subjectId', '=', given.subjectId)
      .where('userId', '=', given.userId)
      .where('nextPollAt', 'is', null),
);
