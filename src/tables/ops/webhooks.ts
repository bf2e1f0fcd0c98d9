// The operators' list of callbacks.
import { sql } from 'kysely';
import type { Db } from '../orm.ts';
import { prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

type Status = Entity<'WebhookEvent'>['status'];
type OfStatus = { statuses: Status[]; limit: number };

const callbacks = (db: Db, { statuses, limit }: OfStatus) =>
  db
    .selectFrom('WebhookEvent')
    .select(['id', 'eventType', 'status', 'outcome as why', 'attempts', 'transactionId', 'receivedAt'])
    .select('processedAt')
    .where('status', '=', sql<Status>`any(${statuses}::webhook_event_status[])`)
    .orderBy('id', 'desc')
    .limit(limit);

/** Lists callbacks in the order of their ids, which is the order of arrival and has an index. The newest come first. */
export const listCallbacks = prepared.all(callbacks);
/** Lists callbacks like `listCallbacks`, without those that have one outcome. */
export const listCallbacksWithout = prepared.all((db, given: OfStatus & { outcome: string }) =>
  callbacks(db, given).where('outcome', 'is distinct from', given.outcome),
);
