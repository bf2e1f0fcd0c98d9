// The audit record, a chain of hashes.
import { prepared } from '../database/prepared.ts';

/** Finds the hash of one row. */
export const findAuditHash = prepared.first((db, { seq }: { seq: number }) =>
  db.selectFrom('AuditEvent').select('hash').where('seq', '=', seq),
);
