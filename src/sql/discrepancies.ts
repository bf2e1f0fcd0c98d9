// The disagreements between the provider and our records.
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import type { Entity } from '../entities/rows.ts';

type Discrepancy = Entity<'Discrepancy'>;
type Resolution = { resolvedAt: Date; resolution: string };

export const findDiscrepancyById = prepared.first((db, { id }: { id: string }) =>
  db.selectFrom('Discrepancy').selectAll().where('id', '=', id),
);

export const lockDiscrepancyById = prepared.first((db, { id }: { id: string }) =>
  db.selectFrom('Discrepancy').selectAll().where('id', '=', id).forNoKeyUpdate(),
);

export const resolveDiscrepancyById = prepared.count((db, given: Resolution & { id: string }) =>
  db
    .updateTable('Discrepancy')
    .set({ resolvedAt: given.resolvedAt, resolution: given.resolution })
    .where('id', '=', given.id),
);

/** Resolves the open discrepancies of one kind. */
export const resolveOpenOfKind = prepared.count(
  (db, given: Resolution & Pick<Discrepancy, 'handle' | 'kind'>) =>
    db
      .updateTable('Discrepancy')
      .set({ resolvedAt: given.resolvedAt, resolution: given.resolution })
      .where('handle', '=', given.handle)
      .where('kind', '=', given.kind)
      .where('resolvedAt', 'is', null),
);

/** Resolves the open discrepancies that ask which object, or which of its snapshots, is to be followed. */
export const resolveOpenChoices = prepared.all(
  (_db, given: Resolution & Pick<Discrepancy, 'handle' | 'userId'>) => sql<Pick<Discrepancy, 'kind'>>`
    update discrepancies set resolved_at = ${given.resolvedAt}, resolution = ${given.resolution}
    where handle = ${given.handle} and user_id = ${given.userId}
      and kind in ('twin', 'vanished', 'clock_stepped_back') and resolved_at is null
    returning kind`,
);
