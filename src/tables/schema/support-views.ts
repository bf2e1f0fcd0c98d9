// The schema `support` has a view of each table that support's commands read, under the table's name. A person of support sees where money
// is, and not whose: bytes, which are sealed values and hashes, and the texts below are empty in the views.
import type { Pool } from 'pg';
import type { Tables } from '../entities.ts';

type Table = keyof Tables | 'schema_migrations' | 'schema_floor';

const TABLES: Table[] = [
  'bank_details',
  'contestations',
  'data_requests',
  'database_histories',
  'discrepancies',
  'effect_pauses',
  'effects',
  'job_runs',
  'kyc_verifications',
  'list_findings',
  'open_circuits',
  'operator_roles',
  'payout_refunds',
  'pix_payments',
  'processes',
  'provider_accounts',
  'provider_resources',
  'schema_floor',
  'schema_migrations',
  'transactions',
  'transitions',
  'users',
  'webhook_events',
  'webhook_secrets',
  'withdraws',
];

/** Texts that are stored as they are, and say who somebody is, repeat the provider's words, or are about a secret. */
const HIDDEN = [
  'effects.last_error',
  'list_findings.reason',
  'users.auth_subject',
  'users.display_name',
  'webhook_secrets.hash',
];

/** The statement that removes the views. A migration could not change a column that a view has. */
export const DROP_SUPPORT_VIEWS = `do $$ begin
  if exists (
    select from pg_class where relnamespace = to_regnamespace('support') and relkind in ('r', 'p', 'm', 'f', 'S')
  ) then
    raise exception 'the schema support has tables, so it is not the one of the views: rename it';
  end if;
  drop schema if exists support cascade;
end $$`;

/**
 * A person of support adds the audit rows of their own searches, and reads no others. The trigger has written the login when the row is
 * checked. A function in a condition must not see the rows of others, hence the barrier.
 */
const OWN_SEARCHES = `create view support.audit_events with (security_barrier) as
  select * from public.audit_events
  where action = 'operator.find' and details ->> 'databaseUser' = session_user::text
  with local check option`;

/** Returns the statements that make the views anew, with the columns that the tables have now, and grant them. */
export async function supportViews(pool: Pool, to: string): Promise<string[]> {
  const { rows } = await pool.query<{ view: string }>(
    `select format('create view support.%I as select %s from public.%I', relname,
       string_agg(
         case when atttypid = 'bytea'::regtype or relname || '.' || attname = any($2)
           then format('substr(%1$I, 1, 0) as %1$I', attname) else quote_ident(attname) end,
         ', ' order by attnum),
       relname) as view
     from pg_class join pg_attribute on attrelid = pg_class.oid
     where relnamespace = 'public'::regnamespace and relname = any($1) and attnum > 0 and not attisdropped
     group by relname`,
    [TABLES, HIDDEN],
  );
  return [
    DROP_SUPPORT_VIEWS,
    'create schema support',
    ...rows.map(({ view }) => view),
    OWN_SEARCHES,
    `grant usage on schema support to ${to}`,
    `grant select on all tables in schema support to ${to}`,
    `grant insert on support.audit_events to ${to}`,
    `grant execute on function public.find_by_hash to ${to}`,
    // The triggers of the audit record read these.
    `grant select (seq, hash) on public.audit_events to ${to}`,
    `grant select on public.operator_roles to ${to}`,
  ];
}

/** @throws Error on Citus, which does not insert through views. */
export async function assertViewsPossible(pool: Pool): Promise<void> {
  const { rows } = await pool.query(`select from pg_extension where extname = 'citus'`);
  if (rows.length > 0) throw new Error('support has no views on Citus: leave DATABASE_SUPPORT_ROLE out');
}
