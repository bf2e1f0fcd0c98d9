// The audit record, a chain of hashes.

import { sql } from 'kysely';
import { prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

export const findAuditHash = prepared.first((db, { seq }: { seq: number }) =>
  db.selectFrom('AuditEvent').select('hash').where('seq', '=', seq),
);

/** Each list has the values of one column, with the value of each row at the same index. */
type NewRows = {
  ids: string[];
  occurredAt: Date[];
  actions: string[];
  userIds: (string | null)[];
  requestIds: (string | null)[];
  /** JSON. */
  details: string[];
};

/** Appends the rows in their order. The record is locked against other writers until the commit. */
export const insertAuditEvents = prepared.count(
  (_db, params: NewRows) => sql`
    insert into audit_events (id, occurred_at, action, user_id, request_id, details)
    select id, at, action, user_id, request_id, details::jsonb
    from unnest(
      ${params.ids}::uuid[], ${params.occurredAt}::timestamptz[], ${params.actions}::text[],
      ${params.userIds}::uuid[], ${params.requestIds}::text[], ${params.details}::text[]
    ) with ordinality as entry (id, at, action, user_id, request_id, details, place)
    order by place`,
);

export type ChainedRow = Omit<Entity<'AuditEvent'>, 'occurredAt' | 'details'> & {
  at: Date;
  /** `details` as PostgreSQL writes jsonb, which is always the same for the same value. */
  details: string;
};

/** Lists the rows after a number, in their order. */
export const listChainedRows = prepared.all(
  (_db, { after, limit }: { after: number; limit: number }) => sql<ChainedRow>`
    select seq, previous_hash, hash, id, occurred_at as at, recorded_at, action, user_id, request_id, details::text as details
    from audit_events where seq > ${after} order by seq limit ${limit}`,
);
