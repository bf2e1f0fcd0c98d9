// Our side of the books, read by plain SQL in one snapshot: every row about money or orders. No sealed column is read.
import { Client, TypeOverrides } from 'pg';
import { readDiscrepancies } from './discrepancies.ts';
import type {
  Account,
  BankDetails,
  Callback,
  EffectRow,
  Job,
  Payment,
  Quote,
  Resource,
  Transaction,
  Transition,
  User,
  Verification,
  Withdraw,
} from './ours-rows.ts';

export type Ours = Awaited<ReturnType<typeof readOurs>>;

/**
 * A nightly job's key is its name. A night that met faults is followed by a run an hour later, for what the provider
 * left unanswered: that is a future job, and no work in progress.
 */
export const IS_ANOTHER_NIGHTS = "job.key = task.identifier and job.run_at > now() + interval '10 minutes'";

export async function readOurs(databaseUrl: string) {
  const client = new Client({ connectionString: databaseUrl, types: withSafeIntegers() });
  await client.connect();
  const all = async <Row extends object>(query: string): Promise<Row[]> =>
    (await client.query<Row>(query)).rows;
  try {
    await client.query('begin isolation level repeatable read, read only');
    return {
      jobs: await all<Job>(
        `select job.id::text, task.identifier as task, job.key, job.attempts
         from graphile_worker._private_jobs job join graphile_worker._private_tasks task on task.id = job.task_id
         where not (${IS_ANOTHER_NIGHTS})`,
      ),
      users: await all<User>('select id, home_currency, balance_minor, balance_read_at from users'),
      verifications: await all<Verification>('select id, user_id, state, seq from kyc_verifications'),
      accounts: await all<Account>(
        'select id, user_id, currency, state, seq, provider_account_id from provider_accounts',
      ),
      bankDetails: await all<BankDetails>(
        'select id, user_id, currency, version, created_at from bank_details',
      ),
      transactions: await all<Transaction>(
        `select id, user_id, type, status, source_currency, source_amount_minor, dest_currency, dest_amount_minor, fx_rate,
           provider, provider_ref, failure, created_at, completed_at
         from transactions order by id`,
      ),
      payments: await all<Payment>(
        `select id, user_id, transaction_id, quote_id, state, seq, flow, amount_brl_minor, source_currency,
           source_amount_minor, exchange_rate, pix_key_type, home_debit_minor, end_to_end_id, voucher_id, failure, expires_at,
           created_at
         from pix_payments order by id`,
      ),
      quotes: await all<Quote>(
        `select id, user_id, flow, provider_quote_id, source_amount_minor, expires_at, created_at from pix_quotes`,
      ),
      withdraws: await all<Withdraw>(
        'select id, user_id, state, seq, currency, amount_minor, failure, created_at from withdraws order by id',
      ),
      transitions: await all<Transition>(
        `select subject_kind, subject_id, seq, from_state, to_state, event, event_data, occurred_at as at
         from transitions order by subject_id, seq`,
      ),
      effects: await all<EffectRow>(
        'select subject_id, seq, type, params, status, attempts, last_error from effects',
      ),
      resources: await all<Resource>(
        'select handle, kind, user_id, subject_kind, subject_id, leg, provider_ref from provider_resources',
      ),
      callbacks: await all<Callback>(
        'select id, external_id, event_type, status, attempts from webhook_events',
      ),
      discrepancies: await readDiscrepancies(client),
    };
  } finally {
    await client.end();
  }
}

/** 64-bit integers arrive as numbers, and one that a number cannot hold stops the audit. */
function withSafeIntegers(): TypeOverrides {
  const INT8 = 20;
  const types = new TypeOverrides();
  types.setTypeParser(INT8, (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond what a number can hold`);
    return value;
  });
  return types;
}
