// The positions in the provider's lists up to which nothing needs to be scanned again, and the times up to which slices were planned.
import { sql } from 'kysely';
import type { DatabaseTime } from '../../platform/database/database-time.ts';
import { prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

type Cursor = Entity<'ProviderCursor'>;

export const findCursor = prepared.first((db, { list }: Pick<Cursor, 'list'>) =>
  db.selectFrom('ProviderCursor').select(['after', 'plannedTo']).where('list', '=', list),
);

export const moveCursor = prepared.count(
  (db, { list, after, now }: Pick<Cursor, 'list' | 'after'> & { now: DatabaseTime }) => {
    const updatedAt = sql<Date>`${now}`;
    return db
      .insertInto('ProviderCursor')
      .values({ list, after, updatedAt })
      .onConflict((conflict) => conflict.column('list').doUpdateSet({ after, updatedAt }));
  },
);

/** Moves the time up to which slices were planned. It moves back only if it was later than now: a clock was ahead once. */
export const movePlannedTo = prepared.count(
  (_db, params: { list: Cursor['list']; plannedTo: Date; now: DatabaseTime }) => sql`
    insert into provider_cursors (list, planned_to, updated_at)
    values (${params.list}::provider_list, ${params.plannedTo}, ${params.now})
    on conflict (list) do update
    set planned_to = case when provider_cursors.planned_to > ${params.now} then excluded.planned_to
        else greatest(provider_cursors.planned_to, excluded.planned_to) end,
      updated_at = excluded.updated_at`,
);
