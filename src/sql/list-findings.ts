// The findings of the scans of the provider's lists: objects that cannot be read, and lists whose cursors go in a circle.
import { prepared } from '../database/prepared.ts';

export const lockFindingById = prepared.first((db, { id }: { id: string }) =>
  db.selectFrom('ListFinding').selectAll().where('id', '=', id).forNoKeyUpdate(),
);

export const resolveFindingById = prepared.count(
  (db, given: { id: string; resolvedAt: Date; resolution: string }) =>
    db
      .updateTable('ListFinding')
      .set({ resolvedAt: given.resolvedAt, resolution: given.resolution })
      .where('id', '=', given.id),
);
