// Inserts rows of the audit record. The database numbers and chains them (see chain.ts).
import type { Db } from '../database/orm.ts';
import { newId } from '../domain/ids.ts';
import { insertAuditEvents } from '../sql/audit-events.ts';

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
  await insertAuditEvents(db, {
    ids: entries.map(() => newId()),
    occurredAt: entries.map(({ at }) => at),
    actions: entries.map(({ action }) => action),
    userIds: entries.map(({ userId }) => userId),
    requestIds: entries.map(({ requestId }) => requestId),
    details: entries.map(({ details }) => JSON.stringify(details)),
  });
}
