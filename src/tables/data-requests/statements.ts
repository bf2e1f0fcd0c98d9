// The data subjects' requests.

import { sql } from 'kysely';
import { equals, everyProperty, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';

export const findDataRequest = prepared.first((db, { userId, id }: { userId: string; id: string }) =>
  db.selectFrom('DataRequest').selectAll().where(equals({ userId, id })),
);

type DataRequest = Entity<'DataRequest'>;

export const findDataRequestById = prepared.first((db, { id }: { id: string }) =>
  db.selectFrom('DataRequest').selectAll().where('id', '=', id),
);

export const listOpenDataRequests = prepared.all((db, { userId, limit }: { userId: string; limit: number }) =>
  db
    .selectFrom('DataRequest')
    .select('id')
    .where('userId', '=', userId)
    .where('status', '=', sql.lit('open'))
    .limit(limit),
);

export const insertDataRequest = prepared.count((db, request: DataRequest) =>
  db.insertInto('DataRequest').values(everyProperty('DataRequest', request)),
);

/** Closes a request. Returns 0 if it was closed before. */
export const closeDataRequest = prepared.count(
  (db, { id, userId, closedAt }: { id: string; userId: string; closedAt: Date }) =>
    db
      .updateTable('DataRequest')
      .set({ status: 'closed', closedAt })
      .where(equals({ id, userId, status: 'open' })),
);
