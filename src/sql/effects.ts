// The outbox: the calls to the provider that committed transitions emitted.
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
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
