// The outbox: the calls to the provider that committed transitions emitted.

import { type RawBuilder, sql } from 'kysely';
import type { DatabaseTime } from '../../platform/database/database-time.ts';
import { pick } from '../../platform/database/prepared.ts';
import { equals, everyProperty, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';
import { isUnfinishedMoney } from '../unfinished.ts';
import { dueIn } from '../work.ts';

/** Returns whether these bank details are about to be validated: the call has neither an answer nor a failure yet. */
export const isValidationPending = prepared.first(
  (_db, params: { bankDetailsId: string; userId: string; version: number }) => sql<{ id: string }>`
    select id from effects
    where subject_id = ${params.bankDetailsId} and user_id = ${params.userId} and seq = ${params.version}
      and status = 'queued' and attempts = 0
    limit 1`,
);

type Effect = Entity<'Effect'>;

type Key = Pick<Effect, 'id' | 'userId'>;

type NewEffect = Omit<Effect, 'params' | 'dueAt' | 'createdAt'> & { params: string };

/**
 * Inserts an effect that is due now. Both of its times are by the database's clock: other processes judge by them whether it is due, and
 * whether it is out of time.
 * @param params the effect's parameters as JSON.
 */
export const insertEffect = prepared.count((db, params: NewEffect) =>
  db.insertInto('Effect').values(
    everyProperty('Effect', params, {
      params: sql`${params.params}::jsonb`,
      dueAt: sql`now()`,
      createdAt: sql`now()`,
    }),
  ),
);

/** The number of the latest transition of each kind of subject; for bank details, their version. */
const latestOf = {
  kyc: sql`select seq from kyc_verifications`,
  provider_account: sql`select seq from provider_accounts`,
  pix_payment: sql`select seq from pix_payments`,
  withdraw: sql`select seq from withdraws`,
  contestation: sql`select seq from contestations`,
  payout_refund: sql`select seq from payout_refunds`,
  bank_details: sql`select version from bank_details`,
} satisfies Record<Effect['subjectKind'], RawBuilder<unknown>>;

const latestOfEachKind = sql.join(
  Object.entries(latestOf).map(
    ([kind, latest]) =>
      sql`when ${sql.lit(kind)} then (${latest} where id = effects.subject_id and user_id = effects.user_id)`,
  ),
  sql` `,
);

/** Finds an effect, and the latest transition of its subject. */
export const findEffect = prepared.first((db, { id, userId }: Key) =>
  db
    .selectFrom('Effect')
    .selectAll('Effect')
    .select(sql<number | null>`case effects.subject_kind ${latestOfEachKind} end`.as('latest'))
    .where(equals({ id, userId })),
);

type Leased = Pick<Effect, 'id' | 'userId' | 'leaseToken'>;

/** The condition that the lease still belongs to this run, and that the effect has no outcome. */
const isOpen = ({ id, userId, leaseToken }: Leased) => equals({ id, userId, leaseToken, status: 'queued' });

/** Locks an effect that the lease still belongs to. */
export const lockQueuedEffect = prepared.first((db, params: Leased) =>
  db.selectFrom('Effect').selectAll().where(isOpen(params)).forNoKeyUpdate(),
);

/**
 * Finds an effect of the payment whose request may still be executed: one without an outcome, or one with a request that was left
 * unanswered since a time.
 */
export const findUnknownWrite = prepared.first(
  (_db, { subjectId, userId, since }: Pick<Effect, 'subjectId' | 'userId'> & { since: DatabaseTime }) => sql<{
    id: string;
  }>`
    select id from effects
    where subject_id = ${subjectId} and user_id = ${userId}
      and (status in ('queued', 'exhausted') or last_unknown_at > ${since})
    limit 1`,
);

/**
 * Keeps a refusal that is not final. The next run applies it, unless its look-up finds what the effect requested. Returns 0 if another
 * run has the effect.
 */
export const setPendingRefusal = prepared.count((db, params: Leased & { refusal: string }) =>
  db
    .updateTable('Effect')
    .set({ heldRefusal: params.refusal })
    .where(equals(pick(params, 'id', 'userId', 'leaseToken'))),
);

type End = Leased & Pick<Effect, 'status' | 'attempts'>;

/** Records that an effect has its outcome. Returns 0 if another run has the effect, or an operator completed it. */
export const endEffect = prepared.count((db, params: End) =>
  db
    .updateTable('Effect')
    .set(pick(params, 'status', 'attempts'))
    .set({ finishedAt: sql<Date>`now()`, dueAt: null, leasedBy: null, heldRefusal: null })
    .where(isOpen(params)),
);

type Attempt = Leased & {
  status: 'queued' | 'exhausted';
  attempts: number;
  lastError: string;
  /** The time now, if the provider may have acted on the request. Null otherwise. */
  unknownAt: DatabaseTime | null;
  /** The delay before the next attempt. Null if this was the last one, and the effect is exhausted. */
  delayMs: number | null;
};

/**
 * Records an attempt whose outcome is unknown. Returns 0 if another run has the effect. The time of the last unanswered request is never
 * reset: another run may have left a request unanswered since this run started. It is by the database's clock, because other processes
 * compare it.
 */
export const postponeEffect = prepared.count((db, params: Attempt) =>
  db
    .updateTable('Effect')
    .set(pick(params, 'status', 'attempts', 'lastError'))
    .set({
      lastUnknownAt: sql`coalesce(${params.unknownAt}, last_unknown_at)`,
      dueAt: dueIn(params.delayMs),
      leasedBy: null,
    })
    .where(isOpen(params)),
);

/** Locks the latest effect of a row's transition for the rest of the database transaction. */
export const lockEffectOfTransition = prepared.first(
  (db, params: Pick<Effect, 'subjectId' | 'userId' | 'seq'>) =>
    db
      .selectFrom('Effect')
      .select(['id', 'status', 'attempts'])
      .where(equals(pick(params, 'subjectId', 'userId', 'seq')))
      .orderBy('createdAt', 'desc')
      .forNoKeyUpdate(),
);

/** Makes an effect due now, also one that is finished. */
export const queueEffectAgain = prepared.count(
  (db, { id, userId, attempts }: Pick<Effect, 'id' | 'userId' | 'attempts'>) =>
    db
      .updateTable('Effect')
      .set({ status: 'queued', attempts, dueAt: sql<Date>`now()`, finishedAt: null })
      .where(equals({ id, userId })),
);

/** Lists exhausted effects, the oldest first. */
export const listExhausted = prepared.all(
  (_db, { limit }: { limit: number }) => sql<Pick<Effect, 'id' | 'userId'>>`
    select id, user_id from effects where status = 'exhausted' order by created_at limit ${limit}`,
);

/** Queues exhausted effects again. */
export const requeueExhausted = {
  together: prepared.count(
    (_db, { attempts, userIds, ids }: { attempts: number; userIds: string[]; ids: string[] }) => sql`
      update effects set status = 'queued', attempts = ${attempts}, due_at = now()
      where user_id = any(${userIds}::uuid[]) and id = any(${ids}::uuid[]) and status = 'exhausted'`,
  ),
  /** Requeues one, unless it is locked. */
  each: prepared.count(
    (_db, { attempts, userId, id }: { attempts: number; userId: string; id: string }) => sql`
      update effects set status = 'queued', attempts = ${attempts}, due_at = now()
      where user_id = ${userId} and id = (
        select id from effects where user_id = ${userId} and id = ${id} and status = 'exhausted'
        for no key update skip locked
      )`,
  ),
};

export const bringEffectsForward = prepared.count(
  () => sql`update effects set due_at = now() where leased_by is null and due_at > now()`,
);

/** The number of rows of a page is a literal in the statement. */
export const OLD_EFFECTS_PAGE = 1_000;

/** Lists a page of all effects in the order of their creation. */
export const listEffectsInOrder = prepared.all(
  (_db, { after }: { after: string }) => sql<Pick<Effect, 'id' | 'userId' | 'createdAt'>>`
    select id, user_id, created_at from effects where id > ${after} order by id limit ${sql.lit(OLD_EFFECTS_PAGE)}`,
);

/** Deletes the effects among them that finished long ago, unless their payment or withdrawal is unfinished. */
export const deleteFinishedEffects = prepared.count(
  (_db, { userIds, ids, until }: { userIds: string[]; ids: string[]; until: DatabaseTime }) => sql`
    delete from effects
    where user_id = any(${userIds}::uuid[]) and id = any(${ids}::uuid[]) and finished_at <= ${until}
      and not ${isUnfinishedMoney(sql`effects.subject_id`, sql`effects.user_id`)}`,
);

export const findUserOfEffect = prepared.first((db, { id }: { id: string }) =>
  db.selectFrom('Effect').select('userId').where('id', '=', id),
);

export const lockEffect = prepared.first((db, { id, userId }: Key) =>
  db.selectFrom('Effect').selectAll().where(equals({ id, userId })).forNoKeyUpdate(),
);

/** Locks the effect that converts a payment's BRL back, unless it has its outcome. */
export const lockOpenReturn = prepared.first(
  (db, { subjectId, userId }: Pick<Effect, 'subjectId' | 'userId'>) =>
    db
      .selectFrom('Effect')
      .select(['id', 'leasedBy', 'leaseToken'])
      .where(equals({ subjectId, userId, type: 'startConversion' }))
      .where(sql`params ->> 'leg'`, '=', 'return')
      .where('status', 'in', ['queued', 'exhausted'])
      .forNoKeyUpdate(),
);

/**
 * Adds the time for which a type was paused to its effects: it counts for none of their limits.
 * @param params `since` is a time by the database's clock, as all times here.
 */
export const addPausedTime = prepared.count(
  (_db, params: { userIds: string[]; ids: string[]; since: Date; now: DatabaseTime }) => sql`
    update effects
    set paused_ms = paused_ms + greatest(0, 1000 * extract(epoch from
      ${params.now}::timestamptz - greatest(created_at, ${params.since})))
    where user_id = any(${params.userIds}::uuid[]) and id = any(${params.ids}::uuid[])
      and status in ('queued', 'exhausted')`,
);

/** Lists the unfinished effects of a type. The type is compared as text, because a newer version may have paused one that is unknown here. */
export const listUnfinishedOfType = prepared.all(
  (_db, { type }: { type: string }) => sql<Pick<Effect, 'id' | 'userId'>>`
    select id, user_id from effects where type::text = ${type} and status in ('queued', 'exhausted')`,
);
