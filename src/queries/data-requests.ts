// Data subjects' requests as their senders see them.
import type { Selectable } from 'kysely';
import type { DataRequest } from '../../openapi/generated/openapi.ts';
import type { Db } from '../database/orm.ts';
import type { Tables } from '../entities/index.ts';

const columns = ['id', 'type', 'status', 'received_at'] as const;

export type DataRequestRow = Pick<Selectable<Tables['data_requests']>, (typeof columns)[number]>;

export const getDataRequest = (db: Db, userId: string, id: string): Promise<DataRequestRow> =>
  db
    .selectFrom('data_requests')
    .select(columns)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

export const dataRequestFrom = (row: DataRequestRow): DataRequest => ({
  id: row.id,
  type: row.type as DataRequest['type'],
  status: row.status,
  receivedAt: row.received_at.toISOString(),
});
