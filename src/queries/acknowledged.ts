// Whether an operator has acknowledged a payment in its present state: an acknowledgement of an earlier transition no
// longer counts.
import { type SqlBool, sql } from 'kysely';
import type { Entity } from '../entities/rows.ts';

type Acknowledged = Pick<
  Entity<'PixPayment'>,
  'seq' | 'acknowledgedSeq' | 'acknowledgedAt' | 'acknowledgement'
>;

/** For a query on payments alone. */
export const isNotAcknowledged = sql<SqlBool>`acknowledged_seq is distinct from seq`;

/** The operator's note and its time; null while the payment waits for one. */
export const acknowledgementOf = (row: Acknowledged): { at: Date; reason: string } | null =>
  row.acknowledgedSeq === row.seq && row.acknowledgedAt !== null
    ? { at: row.acknowledgedAt, reason: row.acknowledgement ?? '' }
    : null;
