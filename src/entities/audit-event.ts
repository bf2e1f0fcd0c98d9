// The audit record: who read, or tried to read, what. Append-only, and each row is chained to the one before it: the
// database itself numbers and hashes new rows, and refuses every change (see the migrations).
import { defineEntity, p } from '@mikro-orm/core';
import { moment } from './columns.ts';

export const AuditEvent = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_events',
  indexes: [
    {
      name: 'audit_events_user',
      expression: 'create index audit_events_user on audit_events (user_id, seq) where user_id is not null',
    },
    {
      name: 'audit_events_request',
      expression:
        'create index audit_events_request on audit_events (request_id) where request_id is not null',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    /** From 1, without a gap. A trigger sets this, both hashes and `recordedAt`; values given by a writer are ignored. */
    seq: p.bigint('number').default(0).unique(),
    /** The hash of the row before, in hex; zeros for the first. */
    previousHash: p.string().length(64).default(''),
    /** SHA-256 over all other columns, in hex; computed as in `src/audit/chain.ts`. */
    hash: p.string().length(64).default(''),
    occurredAt: moment(),
    /** When the row was written, by the database's clock. The trigger sets it; null in rows of earlier versions. */
    recordedAt: moment().nullable(),
    action: p.string().length(60),
    userId: p.uuid().nullable(),
    requestId: p.text().nullable(),
    /** Codes, ids and counts. Never a token, a secret or a personal value. */
    details: p.json<Record<string, unknown>>(),
  },
});
