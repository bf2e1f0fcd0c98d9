// The customer's transactions: deposits, payments and withdrawals.
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';

/** Finds an unfinished payment or withdrawal of the user, or a payout that failed and was never retried. */
export const findUnresolvedTransaction = prepared.first(
  (_db, { userId }: { userId: string }) => sql<{ id: string }>`
    select id from transactions where user_id = ${userId} and status in ('pending', 'settling') limit 1`,
);

/** Lists the users of those ids that a transaction, a payment or a quote has. A withdrawal has its transaction's id. */
export const listOwners = prepared.all(
  (_db, { ids }: { ids: string[] }) => sql<{ id: string; owner: string }>`
    select id, user_id as owner from transactions where id = any(${ids}::uuid[])
    union all select id, user_id from pix_payments where id = any(${ids}::uuid[])
    union all select id, user_id from pix_quotes where id = any(${ids}::uuid[])`,
);
