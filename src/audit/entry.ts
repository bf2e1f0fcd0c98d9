// Inserts rows of the audit log. The database numbers and chains them (see chain.ts).

import { newId } from '../domain/ids.ts';
import { insertAuditEvents } from '../tables/audit-events/statements.ts';
import type { Db } from '../tables/orm.ts';

export type AuditEntry = {
  at: Date;
  /** The action that was done or tried, as `subject.participle`; at most 60 characters. */
  action: string;
  userId: string | null;
  requestId: string | null;
  /** Codes, ids and counts; never a token, a secret or a personal value. */
  details: Record<string, unknown>;
};

/**
 * Writes all entries in one statement, which locks the audit log against other writers until the commit. In a transaction with
 * other statements, run it last.
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
