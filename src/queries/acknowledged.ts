// Whether an operator has acknowledged a payment in its present state: an acknowledgement of an earlier transition no
// longer counts.
import type { Selectable } from 'kysely';
import type { Tables } from '../entities/index.ts';

type Acknowledged = Pick<
  Selectable<Tables['pix_payments']>,
  'seq' | 'acknowledged_seq' | 'acknowledged_at' | 'acknowledgement'
>;

/** The operator's note and its time; null while the payment waits for one. */
export const acknowledgementOf = (row: Acknowledged): { at: Date; reason: string } | null =>
  row.acknowledged_seq === row.seq && row.acknowledged_at !== null
    ? { at: row.acknowledged_at, reason: row.acknowledgement ?? '' }
    : null;
