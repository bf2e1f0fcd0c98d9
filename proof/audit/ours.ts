// Our side of the books: every row that says something about money or about what was promised. No sealed column is read.
import { Kysely, PostgresDialect, type Selectable, sql } from 'kysely';
import { noDeadlines } from '../../src/database/deadlines.ts';
import { createPool } from '../../src/database/pool.ts';
import type { Tables } from '../../src/entities/index.ts';

type Row<Table extends keyof Tables, Column extends keyof Selectable<Tables[Table]>> = Pick<
  Selectable<Tables[Table]>,
  Column
>;

export type Payment = Row<
  'pix_payments',
  | 'id'
  | 'user_id'
  | 'transaction_id'
  | 'quote_id'
  | 'state'
  | 'seq'
  | 'flow'
  | 'amount_brl_minor'
  | 'source_currency'
  | 'source_amount_minor'
  | 'home_debit_minor'
  | 'usdc_delivered_minor'
  | 'usdc_residual_minor'
  | 'payout_attempt'
  | 'end_to_end_id'
  | 'failure'
>;
export type Withdraw = Row<
  'withdraws',
  'id' | 'user_id' | 'state' | 'seq' | 'currency' | 'amount_minor' | 'failure'
>;
export type Transaction = Omit<Selectable<Tables['transactions']>, 'fx_rate'>;
export type Transition = Row<
  'transitions',
  'subject_kind' | 'subject_id' | 'seq' | 'from_state' | 'to_state' | 'event' | 'event_data'
>;
export type EffectRow = Row<
  'effects',
  'id' | 'subject_kind' | 'subject_id' | 'seq' | 'type' | 'params' | 'status' | 'attempts' | 'last_error'
>;
export type Resource = Row<
  'provider_resources',
  'handle' | 'kind' | 'user_id' | 'subject_kind' | 'subject_id' | 'leg' | 'provider_ref'
>;
export type Ours = Awaited<ReturnType<typeof readOurs>>;

/**
 * A nightly job has its name for a key. Where the night fell into the storm, it looks again in an hour at what the provider
 * left unanswered: that is a date in the calendar, and no work under way.
 */
export const IS_ANOTHER_NIGHTS = "job.key = task.identifier and job.run_at > now() + interval '10 minutes'";

export async function readOurs(databaseUrl: string) {
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: createPool(databaseUrl, 1, noDeadlines) }),
  });
  try {
    const jobs = await sql<{ id: string; task: string; key: string | null; attempts: number }>`
      select job.id::text, task.identifier as task, job.key, job.attempts
      from graphile_worker._private_jobs job join graphile_worker._private_tasks task on task.id = job.task_id
      where not (${sql.raw(IS_ANOTHER_NIGHTS)})
    `.execute(db);
    return {
      jobs: jobs.rows,
      users: await db.selectFrom('users').select(['id', 'home_currency']).execute(),
      verifications: await db
        .selectFrom('kyc_verifications')
        .select(['id', 'user_id', 'state', 'seq'])
        .execute(),
      accounts: await db
        .selectFrom('provider_accounts')
        .select(['id', 'user_id', 'currency', 'state', 'seq', 'provider_account_id'])
        .execute(),
      bankDetails: await db.selectFrom('bank_details').select(['id', 'version']).execute(),
      transactions: (await db
        .selectFrom('transactions')
        .selectAll()
        .orderBy('id')
        .execute()) satisfies Transaction[],
      payments: (await db
        .selectFrom('pix_payments')
        .select([
          'id',
          'user_id',
          'transaction_id',
          'quote_id',
          'state',
          'seq',
          'flow',
          'amount_brl_minor',
          'source_currency',
          'source_amount_minor',
          'home_debit_minor',
          'usdc_delivered_minor',
          'usdc_residual_minor',
          'payout_attempt',
          'end_to_end_id',
          'failure',
        ])
        .orderBy('id')
        .execute()) satisfies Payment[],
      quotes: await db
        .selectFrom('pix_quotes')
        .select(['id', 'user_id', 'provider_quote_id', 'source_amount_minor', 'amount_brl_minor'])
        .execute(),
      withdraws: (await db
        .selectFrom('withdraws')
        .select(['id', 'user_id', 'state', 'seq', 'currency', 'amount_minor', 'failure'])
        .orderBy('id')
        .execute()) satisfies Withdraw[],
      transitions: (await db
        .selectFrom('transitions')
        .select(['subject_kind', 'subject_id', 'seq', 'from_state', 'to_state', 'event', 'event_data'])
        .orderBy('subject_id')
        .orderBy('seq')
        .execute()) satisfies Transition[],
      effects: (await db
        .selectFrom('effects')
        .select([
          'id',
          'subject_kind',
          'subject_id',
          'seq',
          'type',
          'params',
          'status',
          'attempts',
          'last_error',
        ])
        .execute()) satisfies EffectRow[],
      resources: (await db
        .selectFrom('provider_resources')
        .select(['handle', 'kind', 'user_id', 'subject_kind', 'subject_id', 'leg', 'provider_ref'])
        .execute()) satisfies Resource[],
      callbacks: await db
        .selectFrom('webhook_events')
        .select(['id', 'external_id', 'event_type', 'status', 'attempts'])
        .execute(),
    };
  } finally {
    await db.destroy();
  }
}
