// The operators' list of closed accounts.
import { sql } from 'kysely';
import { awaitsUser } from '../../../machines/states.ts';
import type { Currency } from '../../domain/currency.ts';
import { oneOf } from '../../platform/database/one-of.ts';
import { isOwing } from '../pix-payments/statements.ts';
import { prepared } from '../prepared.ts';

export type ClosedUser = {
  userId: string;
  closedAt: Date;
  accounts: { currency: Currency; ref: string }[];
  /** The ids of payments whose payout failed and was never retried. */
  failedPayouts: string[];
  /** The ids of payments in `manual_review` that were neither settled nor restored. */
  reviews: string[];
};

/** Lists the users who have been closed the longest first: their data is deleted next. */
export const listClosedUsers = prepared.all(
  () => sql<ClosedUser>`
    select id as "userId", closed_at,
      (
        select coalesce(json_agg(json_build_object('currency', currency, 'ref', provider_account_id)), '[]')
        from provider_accounts
        where user_id = users.id and provider_account_id is not null
      ) as accounts,
      array(
        select id from pix_payments where user_id = users.id and state in ${oneOf(awaitsUser.pix_payment)}
      ) as "failedPayouts",
      array(select id from pix_payments payment where user_id = users.id and ${isOwing(sql`users.id`)}) as reviews
    from users
    where closed_at is not null
    order by closed_at`,
);
