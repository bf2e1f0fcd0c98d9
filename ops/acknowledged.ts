// Decides whether an operator has acknowledged a payment in its current state. An acknowledgement of an
// earlier transition no longer counts.
import type { Entity } from '../src/tables/rows.ts';

type Acknowledged = Pick<
  Entity<'PixPayment'>,
  'seq' | 'acknowledgedSeq' | 'acknowledgedAt' | 'acknowledgement'
>;

/** Returns the operator's note and its time, or null if the payment still waits for an operator. */
export const acknowledgementOf = (row: Acknowledged): { at: Date; reason: string } | null =>
  row.acknowledgedSeq === row.seq && row.acknowledgedAt !== null
    ? { at: row.acknowledgedAt, reason: row.acknowledgement ?? '' }
    : null;
