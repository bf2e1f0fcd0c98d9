// The budgets of tokens for answers that name a person: a row for each user who has asked for one.

import { sql } from 'kysely';
import { MAX_TOKENS, SECONDS_PER_TOKEN } from '../../domain/name-budget.ts';
import type { DatabaseTime } from '../../platform/database/database-time.ts';
import { equals, prepared } from '../prepared.ts';

type Tokens = { userId: string; tokens: number };

/** A budget that is full this long from now, or earlier, has at least one token. */
const ONE_TOKEN_LEFT_SECONDS = (MAX_TOKENS - 1) * SECONDS_PER_TOKEN;

/**
 * How long tokens take to come back. It is added to a column in UTC: in a time zone that may have summer time, the result depends on the
 * session, and a distributed engine refuses that.
 */
const timeOf = (tokens: number) =>
  sql`make_interval(secs => ${tokens}::int4 * ${sql.lit(SECONDS_PER_TOKEN)})`;

/** Takes tokens if at least one is left. The budget may go below zero. Writes no row if none is left, or if the user has no budget. */
export const takeTokens = prepared.count(
  (_db, { userId, tokens }: Tokens) => sql`
    update name_budgets
    set full_at =
      (greatest(full_at, now()) at time zone 'UTC' + ${timeOf(tokens)}) at time zone 'UTC'
    where user_id = ${userId} and full_at <= now() + make_interval(secs => ${sql.lit(ONE_TOKEN_LEFT_SECONDS)})`,
);

/** Gives tokens back. A budget never has more than all of its tokens. */
export const returnTokens = prepared.count(
  (_db, { userId, tokens }: Tokens) => sql`
    update name_budgets
    set full_at = (full_at at time zone 'UTC' - ${timeOf(tokens)}) at time zone 'UTC'
    where user_id = ${userId}`,
);

/** Inserts a full budget, unless the user has one. */
export const insertFullBudget = prepared.count(
  (_db, { userId }: { userId: string }) => sql`
    insert into name_budgets (user_id, full_at) values (${userId}, now()) on conflict (user_id) do nothing`,
);

export const findNameBudget = prepared.first((db, { userId }: { userId: string }) =>
  db.selectFrom('NameBudget').selectAll().where(equals({ userId })),
);

/** Marks that the audit record is told now. Writes no row if it was told since `since`. */
export const setRecorded = prepared.count(
  (_db, { userId, now, since }: { userId: string; now: DatabaseTime; since: DatabaseTime }) => sql`
    update name_budgets set recorded_at = ${now}
    where user_id = ${userId} and (recorded_at is null or recorded_at < ${since})`,
);
