// Inserts rows of the audit record. The database numbers and chains them (see chain.ts).
import { sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { newId } from '../domain/ids.ts';

export type AuditEntry = {
  at: Date;
  /** What was done or tried, as `subject.participle`; at most 60 characters. */
  action: string;
  userId: string | null;
  requestId: string | null;
  /** Codes, ids and counts. Never a token, a secret or a personal value. */
  details: Record<string, unknown>;
};

/**
 * Writes all of them in one statement, which locks the record against other writers until the commit: in a transaction
 * that does more this comes last.
 */
export async function insertEntries(db: Db, entries: AuditEntry[]): Promise<void> {
  const column = <Value>(value: (entry: AuditEntry) => Value): Value[] => entries.map(value);
  await sql`
    insert into audit_events (id, occurred_at, action, user_id, request_id, details)
    select id, at, action, user_id, request_id, details::jsonb
    from unnest(
      ${column(() => newId())}::uuid[],
      ${column(({ at }) => at)}::timestamptz[],
      ${column(({ action }) => action)}::text[],
      ${column(({ userId }) => userId)}::uuid[],
      ${column(({ requestId }) => requestId)}::text[],
      ${column(({ details }) => JSON.stringify(details))}::text[]
    ) with ordinality as entry (id, at, action, user_id, request_id, details, place)
    order by place
  `.execute(db);
}
