// The audit log: who read, or tried to read, which data. It is append-only, and each row is chained to the one before it. The
// database numbers and hashes new rows and refuses every change (src/tables/migrations).
import { defineEntity } from '@mikro-orm/core';
import { moment } from '../columns.ts';
import { exported, marked, ours } from '../export-marks.ts';

export const AuditEvent = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_events',
  place: 'coordinator',
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
    id: exported.uuid().primary(),
    /**
     * The number of the row, from 1, without gaps. A trigger sets it, both hashes and `recordedAt`, and ignores
     * the values that a writer sends.
     */
    seq: ours.bigint('number').default(0).unique(),
    /** The hash of the previous row, in hex; zeros for the first row. */
    previousHash: ours.string().length(64).default(''),
    /** SHA-256 over all other columns, in hex. src/audit/chain.ts computes it in the same way. */
    hash: ours.string().length(64).default(''),
    occurredAt: moment(),
    /** When the row was written, by the database's clock. The trigger sets it. Null in rows of earlier versions. */
    recordedAt: moment().nullable(),
    action: exported.string().length(60),
    userId: exported.uuid().nullable(),
    requestId: exported.text().nullable(),
    /** Codes, ids and counts; never a token, a secret or a personal value. */
    details: marked({ without: ['operator'], because: 'It names a member of our staff.' }).json<
      Record<string, unknown>
    >(),
  },
});
