// The operators' view of the audit record.
import { sql } from 'kysely';
import { prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

type Listed = Pick<Entity<'AuditEvent'>, 'seq' | 'id' | 'action' | 'userId' | 'details'> & { at: Date };

/** Lists the newest rows first. @param params `action` is a pattern for `like`. */
export const listAuditEvents = prepared.all(
  (_db, { action, limit }: { action: string; limit: number }) => sql<Listed>`
    select seq, id, occurred_at as at, action, user_id, details from audit_events
    where action like ${action}
    order by seq desc
    limit ${limit}`,
);
