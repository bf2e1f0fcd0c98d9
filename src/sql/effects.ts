// The outbox: the calls to the provider that committed transitions emitted.
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';

/** Whether these bank details were sent for validation within the last `seconds`. */
export const wasValidationEnqueued = prepared.first(
  (_db, given: { bankDetailsId: string; userId: string; version: number; seconds: number }) => sql<{
    id: string;
  }>`
    select id from effects
    where subject_id = ${given.bankDetailsId} and user_id = ${given.userId} and seq = ${given.version}
      and created_at > now() - make_interval(secs => ${given.seconds})
    limit 1`,
import type { Entity } from '../entities/rows.ts';

type Effect = Entity<'Effect'>;

/** Locks the latest effect of a row's transition for the rest of the database transaction. */
export const lockEffectOfTransition = prepared.first(
  (db, given: Pick<Effect, 'subjectId' | 'userId' | 'seq'>) =>
    db
      .selectFrom('Effect')
      .select(['id', 'status'])
      .where('subjectId', '=', given.subjectId)
      .where('userId', '=', given.userId)
      .where('seq', '=', given.seq)
      .orderBy('createdAt', 'desc')
      .forNoKeyUpdate(),
);

/** Queues an effect that has finished, as it was ordered. */
export const orderEffectAgain = prepared.count((db, { id, userId }: Pick<Effect, 'id' | 'userId'>) =>
  db
    .updateTable('Effect')
    .set({ status: 'queued', dueAt: sql<Date>`now()`, finishedAt: null })
    .where('id', '=', id)
    .where('userId', '=', userId),
);

/** Queues exhausted effects again, the oldest first. Effects that another process has locked are left out. */
export const requeueExhausted = prepared.count(
  (_db, { attempts, limit }: { attempts: number; limit: number }) => sql`
    update effects set status = 'queued', attempts = ${attempts}, due_at = now()
    where id in (
      select id from effects where status = 'exhausted'
      order by created_at limit ${limit}
      for no key update skip locked
    )`,
);

/** Makes the effects due that wait for their next attempt. */
export const bringEffectsForward = prepared.count(
  () => sql`update effects set due_at = now() where leased_by is null and due_at > now()`,
import type { Entity } from '../entities/rows.ts';
import { isUnfinishedMoney } from './unfinished.ts';

type Effect = Entity<'Effect'>;

/** The number of rows of a page is a literal in the statement. */
export const OLD_EFFECTS_PAGE = 1_000;

/** Lists a page of all effects in the order of their creation. */
export const listEffectsInOrder = prepared.all(
  (_db, { after }: { after: string }) => sql<Pick<Effect, 'id' | 'createdAt'>>`
    select id, created_at from effects where id > ${after} order by id limit ${sql.lit(OLD_EFFECTS_PAGE)}`,
);

/** Deletes the effects among them that finished long ago, unless their payment or withdrawal is unfinished. */
export const deleteFinishedEffects = prepared.count(
  (_db, { ids, until }: { ids: string[]; until: Date }) => sql`
    delete from effects
    where id = any(${ids}::uuid[]) and finished_at <= ${until}
      and not ${isUnfinishedMoney(sql`effects.subject_id`, sql`effects.user_id`)}`,
);

export const lockEffectById = prepared.first((db, { id }: { id: string }) =>
  db.selectFrom('Effect').selectAll().where('id', '=', id).forNoKeyUpdate(),
);

/** Makes an effect due now. */
export const requeueEffectById = prepared.count((db, { id, attempts }: { id: string; attempts: number }) =>
  db
    .updateTable('Effect')
    .set({ status: 'queued', attempts, dueAt: sql<Date>`now()`, finishedAt: null })
    .where('id', '=', id),
);

/**
 * Adds the time for which a type was paused to its effects: it counts for none of their limits. The type is compared as text,
 * because a newer version may have paused a type that this one does not know.
 * @param given `since` is a time by the database's clock, as all times here.
 */
export const addPausedTime = prepared.count(
  (_db, { type, since }: { type: string; since: Date }) => sql`
    update effects
    set paused_ms = paused_ms + greatest(0, 1000 * extract(epoch from now() - greatest(created_at, ${since})))
    where type::text = ${type} and status in ('queued', 'exhausted')`,
);
