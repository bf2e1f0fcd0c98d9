// The histories of the database, and which one it is in now.

import { sql } from 'kysely';
import type { DatabaseTime } from '../../platform/database/database-time.ts';
import { equals, everyProperty, prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

type DatabaseHistory = Entity<'DatabaseHistory'>;

/** The latest history, and the server of now. All but that are null if no history was recorded yet. */
export type LatestHistory = { here: string } & (DatabaseHistory | { [Name in keyof DatabaseHistory]: null });

export const findLatestHistory = prepared.first(
  () => sql<LatestHistory>`
    select here.server as here, latest.id, latest.server, latest.listed_from as "listedFrom", latest.began_at as "beganAt",
      latest.compared_at as "comparedAt", latest.ended_at as "endedAt"
    from (
      select system_identifier || '/' || ltrim(left(pg_walfile_name(pg_current_wal_lsn()), 8), '0') as server from pg_control_system()
    ) as here
    left join lateral (
      select * from database_histories order by began_at desc, id desc limit 1
    ) as latest on true`,
);

/** Inserts nothing if another process has inserted it. */
export const insertHistory = prepared.count((db, params: DatabaseHistory) =>
  db
    .insertInto('DatabaseHistory')
    .values(everyProperty('DatabaseHistory', params))
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

type At = { id: string; now: DatabaseTime };

export const setHistoryCompared = prepared.count((db, { id, now }: At) =>
  db
    .updateTable('DatabaseHistory')
    .set({ comparedAt: sql<Date>`${now}` })
    .where(equals({ id, comparedAt: null })),
);

export const setHistoryEnded = prepared.count((db, { id, now }: At) =>
  db
    .updateTable('DatabaseHistory')
    .set({ comparedAt: sql<Date>`coalesce(compared_at, ${now})`, endedAt: sql<Date>`${now}` })
    .where(equals({ id, endedAt: null })),
);
