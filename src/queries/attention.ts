// What waits for a person because no job can finish it: for its user, or for an operator. One place for what is counted: the
// operators' status and the report of a reconciliation show the same numbers.
import { type RawBuilder, sql } from 'kysely';
import { awaitsUser, needsSupport } from '../../machines/states.ts';
import { oneOf } from '../database/one-of.ts';
import type { Db } from '../database/orm.ts';
import { isNotAcknowledged } from './acknowledged.ts';
import { failingWork } from './failing-work.ts';

/** By the database's clock. */
export const dataRequestsDueSoon = sql`data_requests where status = 'open' and due_at < now() + interval '7 days'`;

const counted = {
  /** Payments in `manual_review` that no operator has acknowledged. */
  manualReview: sql`pix_payments where state in ${oneOf(needsSupport.pix_payment)} and ${isNotAcknowledged}`,
  payoutFailed: sql`pix_payments where state in ${oneOf(awaitsUser.pix_payment)}`,
  exhaustedEffects: sql`effects where status = 'exhausted'`,
  failingWork,
  unmatchedCallbacks: sql`webhook_events where status = 'unmatched'`,
  /** Also what could not be read in the provider's lists. */
  openDiscrepancies: sql`(
    select id from discrepancies where resolved_at is null
    union all select id from list_findings where resolved_at is null
  ) open`,
  openDataRequests: sql`data_requests where status = 'open'`,
  dataRequestsDueSoon,
} satisfies Record<string, RawBuilder<unknown>>;

export type Attention = Record<keyof typeof counted, number>;

const each = Object.entries(counted).map(
  ([name, rows]) => sql`(select count(*) from ${rows}) as ${sql.id(name)}`,
);

export async function countAttention(db: Db): Promise<Attention> {
  const { rows } = await sql<Attention>`select ${sql.join(each)}`.execute(db);
  const [attention] = rows;
  if (!attention) throw new Error('a statement without a from clause has one row');
  return attention;
}
