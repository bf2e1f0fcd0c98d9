// The history of the rows that have a machine. `advance` writes it (lifecycles.ts).
import { sql } from 'kysely';
import { pick } from '../../platform/database/prepared.ts';
import { equals, prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

type Transition = Entity<'Transition'>;

/** Finds when the row entered its state, by the database's clock. Null if a version up to 1.1.0 wrote it. */
export const findStateRecordedAt = prepared.first(
  (db, params: Pick<Transition, 'subjectKind' | 'subjectId' | 'userId' | 'toState'>) =>
    db
      .selectFrom('Transition')
      .select('recordedAt')
      .where(equals(pick(params, 'subjectKind', 'subjectId', 'userId', 'toState')))
      .where(sql<boolean>`from_state is distinct from to_state`)
      .orderBy('seq', 'desc')
      .limit(sql.lit(1)),
);

/** Finds the last event that the row took from one of its resources. @param params `resource`: the event's name before its first dot. */
export const findLastEventOf = prepared.first(
  (db, params: Pick<Transition, 'subjectKind' | 'subjectId' | 'userId'> & { resource: string }) =>
    db
      .selectFrom('Transition')
      .select(['event', 'eventData'])
      .where(equals(pick(params, 'subjectKind', 'subjectId', 'userId')))
      .where(sql`split_part(event, '.', 1)`, '=', params.resource)
      .orderBy('seq', 'desc')
      .limit(sql.lit(1)),
);
