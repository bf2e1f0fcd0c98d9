// Whether an operator has acknowledged a payment in its present state: an acknowledgement of an earlier transition no
// longer counts.
import type { Entity } from '../entities/rows.ts';

type Acknowledged = Pick<
  Entity<'PixPayment'>,
  'seq' | 'acknowledgedSeq' | 'acknowledgedAt' | 'acknowledgement'
>;

/** The operator's note and its time; null while the payment waits for one. */
export const acknowledgementOf = (row: Acknowledged): { at: Date; reason: string } | null =>
  row.acknowledgedSeq === row.seq && row.acknowledgedAt !== null
    ? { at: row.acknowledgedAt, reason: row.acknowledgement ?? '' }
    : null;
