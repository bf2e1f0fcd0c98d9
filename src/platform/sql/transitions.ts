// The history of the rows that have a machine. `advance` writes it (lifecycles.ts).
import { sql } from 'kysely';
import type { Entity } from '../database/entities/rows.ts';
import { equals, pick, prepared } from '../database/prepared.ts';

type Transition = Entity<'Transition'>;

/** Finds the last event that the row took from one of its resources. @param given `resource`: the event's name before its first dot. */
export const findLastEventOf = prepared.first(
  (db, given: Pick<Transition, 'subjectKind' | 'subjectId' | 'userId'> & { resource: string }) =>
    db
      .selectFrom('Transition')
      .select(['event', 'eventData'])
      .where(equals(pick(given, 'subjectKind', 'subjectId', 'userId')))
      .where(sql`split_part(event, '.', 1)`, '=', given.resource)
      .orderBy('seq', 'desc')
      .limit(sql.lit(1)),
);
