// The findings of the scans of the provider's lists: objects that cannot be read, and lists whose cursors go in a circle.

import { sql } from 'kysely';
import { equals, everyProperty, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';

type Finding = Entity<'ListFinding'>;

export const listOpenFindings = prepared.all(
  (db, { list, accountRef }: Pick<Finding, 'list' | 'accountRef'>) =>
    db
      .selectFrom('ListFinding')
      .selectAll()
      .where(equals({ list, resolvedAt: null }))
      .where('accountRef', 'is not distinct from', accountRef),
);

/** Lists a page of the objects that could not be read and have an id, in the order of the findings' ids. */
export const listUnreadableObjects = prepared.all((db, { after, limit }: { after: string; limit: number }) =>
  db
    .selectFrom('ListFinding')
    .selectAll()
    .where(equals({ kind: 'unreadable', resolvedAt: null }))
    .where('providerRef', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit),
);

/**
 * Inserts the finding, or reopens it if it was resolved by `reopened`. A finding with another resolution, which an operator gave,
 * stays resolved.
 * @returns when it was resolved; null if it is open.
 */
export const recordFinding = prepared.first(
  (db, params: Omit<Finding, 'resolvedAt' | 'resolution'> & { reopened: string }) => {
    const unlessReopened = sql`case when list_findings.resolution <> ${params.reopened} then`;
    return db
      .insertInto('ListFinding')
      .values(everyProperty('ListFinding', params, { resolvedAt: null, resolution: null }))
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet({
          resolvedAt: sql`${unlessReopened} list_findings.resolved_at end`,
          resolution: sql`${unlessReopened} list_findings.resolution end`,
        }),
      )
      .returning('resolvedAt');
  },
);

export const resolveOpenFindings = prepared.count(
  (db, { ids, resolvedAt, resolution }: { ids: string[]; resolvedAt: Date; resolution: string }) =>
    db
      .updateTable('ListFinding')
      .set({ resolvedAt, resolution })
      .where(equals({ id: sql<string>`any(${ids}::uuid[])`, resolvedAt: null })),
);

export const lockFindingById = prepared.first((db, { id }: { id: string }) =>
  db.selectFrom('ListFinding').selectAll().where('id', '=', id).forNoKeyUpdate(),
);

export const resolveFindingById = prepared.count(
  (db, { id, resolvedAt, resolution }: { id: string; resolvedAt: Date; resolution: string }) =>
    db.updateTable('ListFinding').set({ resolvedAt, resolution }).where('id', '=', id),
);
