// The disagreements between the provider and our records.

import { sql } from 'kysely';
import { pick } from '../../platform/database/prepared.ts';
import { equals, everyProperty, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';

type Discrepancy = Entity<'Discrepancy'>;

type OfHandle = Pick<Discrepancy, 'handle' | 'userId'>;

type OfKind = OfHandle & Pick<Discrepancy, 'kind'>;

type OfSubject = Pick<Discrepancy, 'subjectId' | 'userId'>;

/** `eventData` is JSON. */
type NewDiscrepancy = Omit<Discrepancy, 'eventData' | 'resolvedAt' | 'resolution'> & { eventData: string };

/** Inserts nothing if the same discrepancy was recorded before. */
export const insertDiscrepancy = prepared.count((db, params: NewDiscrepancy) =>
  db
    .insertInto('Discrepancy')
    .values(
      everyProperty('Discrepancy', params, {
        eventData: sql`${params.eventData}::jsonb`,
        resolvedAt: null,
        resolution: null,
      }),
    )
    .onConflict((conflict) => conflict.columns(['handle', 'kind', 'fingerprint', 'userId']).doNothing()),
);

/** @returns when it was resolved; undefined if it was never recorded. */
export const findDiscrepancyResolution = prepared.first(
  (db, params: OfKind & Pick<Discrepancy, 'fingerprint'>) =>
    db
      .selectFrom('Discrepancy')
      .select('resolvedAt')
      .where(equals(pick(params, 'handle', 'userId', 'kind', 'fingerprint'))),
);

export const findOpenDiscrepancy = prepared.first(
  (db, params: OfSubject & { kinds: readonly Discrepancy['kind'][] }) =>
    db
      .selectFrom('Discrepancy')
      .select('id')
      .where(equals(pick(params, 'subjectId', 'userId')))
      .where('kind', '=', sql<Discrepancy['kind']>`any(${params.kinds}::discrepancy_kind[])`)
      .where('resolvedAt', 'is', null)
      .limit(sql.lit(1)),
);

/** Finds an object of the user that has no row here. */
export const findOpenNotOrdered = prepared.first((db, { userId }: { userId: string }) =>
  db
    .selectFrom('Discrepancy')
    .select('id')
    .where(equals({ userId, kind: 'not_ordered', resolvedAt: null }))
    .limit(sql.lit(1)),
);

/** Counts the users with an open discrepancy of a kind. */
export const countOpenOfKind = prepared.first(
  (_db, { kind }: Pick<Discrepancy, 'kind'>) => sql<{ users: number }>`
    select count(distinct user_id) as users from discrepancies where kind = ${kind} and resolved_at is null`,
);

export const findOpenTwin = prepared.first((db, { handle, userId }: OfHandle) =>
  db
    .selectFrom('Discrepancy')
    .select('id')
    .where(equals({ handle, userId, kind: 'twin', resolvedAt: null }))
    .limit(sql.lit(1)),
);

type Resolution = { resolvedAt: Date; resolution: string };

/** Lists one row for each time the object vanished and this resolution followed. */
export const listResolvedVanished = prepared.all(
  (db, { handle, userId, resolution }: OfHandle & Pick<Resolution, 'resolution'>) =>
    db
      .selectFrom('Discrepancy')
      .select('id')
      .where(equals({ handle, userId, kind: 'vanished', resolution })),
);

/** Resolves the discrepancies of rows that have since applied the event, or a newer snapshot. */
export const resolveOvertaken = prepared.count(
  (_db, params: Resolution) => sql`
    update discrepancies set resolved_at = ${params.resolvedAt}, resolution = ${params.resolution}
    from provider_resources resource
    where resolved_at is null and discrepancies.kind in ('contradicted_state', 'not_as_ordered')
      and resource.handle = discrepancies.handle and resource.user_id = discrepancies.user_id
      and (
        resource.snapshot_updated_at > discrepancies.snapshot_updated_at
        or exists (
          select from transitions taken
          where taken.subject_kind = discrepancies.subject_kind and taken.subject_id = discrepancies.subject_id
            and taken.user_id = discrepancies.user_id
            and taken.event = discrepancies.event and taken.occurred_at >= discrepancies.occurred_at
            and taken.event_data @> (discrepancies.event_data - 'differs')
        )
      )`,
);

/** Resolves the discrepancies about objects that had no row and now have one. */
export const resolveOrderedSince = prepared.count(
  (_db, params: Resolution) => sql`
    update discrepancies set resolved_at = ${params.resolvedAt}, resolution = ${params.resolution}
    where resolved_at is null and kind = 'not_ordered' and exists (
      select from provider_resources resource
      where resource.provider_ref = discrepancies.provider_ref and resource.user_id = discrepancies.user_id
    )`,
);

export const findDiscrepancyById = prepared.first((db, { id }: { id: string }) =>
  db.selectFrom('Discrepancy').selectAll().where('id', '=', id),
);

type Key = Pick<Discrepancy, 'id' | 'userId'>;

export const lockDiscrepancy = prepared.first((db, { id, userId }: Key) =>
  db.selectFrom('Discrepancy').selectAll().where(equals({ id, userId })).forNoKeyUpdate(),
);

export const resolveDiscrepancy = prepared.count(
  (db, { id, userId, resolvedAt, resolution }: Resolution & Key) =>
    db.updateTable('Discrepancy').set({ resolvedAt, resolution }).where(equals({ id, userId })),
);

export const resolveOpenOfKind = prepared.count(
  (db, { handle, userId, kind, resolvedAt, resolution }: OfKind & Resolution) =>
    db
      .updateTable('Discrepancy')
      .set({ resolvedAt, resolution })
      .where(equals({ handle, userId, kind, resolvedAt: null })),
);

/** Resolves the open discrepancies that ask which object, or which of its snapshots, is to be followed. */
export const resolveOpenChoices = prepared.all(
  (_db, params: OfHandle & Resolution) => sql<Pick<Discrepancy, 'kind'>>`
    update discrepancies set resolved_at = ${params.resolvedAt}, resolution = ${params.resolution}
    where handle = ${params.handle} and user_id = ${params.userId}
      and kind in ('twin', 'vanished', 'clock_stepped_back') and resolved_at is null
    returning kind`,
);
