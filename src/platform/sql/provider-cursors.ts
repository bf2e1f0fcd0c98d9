// The positions in the provider's lists up to which nothing needs to be scanned again, and the times up to which slices were planned.
import { sql } from 'kysely';
import type { Entity } from '../database/entities/rows.ts';
import { prepared } from '../database/prepared.ts';

type Cursor = Entity<'ProviderCursor'>;

export const findCursor = prepared.first((db, { list }: Pick<Cursor, 'list'>) =>
  db.selectFrom('ProviderCursor').select(['after', 'plannedTo']).where('list', '=', list),
);

export const moveCursor = prepared.count((db, { list, after, updatedAt }: Omit<Cursor, 'plannedTo'>) =>
  db
    .insertInto('ProviderCursor')
    .values({ list, after, updatedAt })
    .onConflict((conflict) => conflict.column('list').doUpdateSet({ after, updatedAt })),
);

/** Moves the time up to which slices were planned. It never moves back. */
export const movePlannedTo = prepared.count(
  (_db, given: { list: Cursor['list']; plannedTo: Date; updatedAt: Date }) => sql`
    insert into provider_cursors (list, planned_to, updated_at)
    values (${given.list}::provider_list, ${given.plannedTo}, ${given.updatedAt})
    on conflict (list) do update
    set planned_to = greatest(provider_cursors.planned_to, excluded.planned_to), updated_at = excluded.updated_at`,
);
