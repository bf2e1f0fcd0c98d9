// Reads the service's side of the books by plain SQL in one snapshot: every row about money or orders. It reads no sealed column.
import { Client, type Pool, TypeOverrides } from 'pg';
import { readDiscrepancies } from './discrepancies.ts';
import type {
  Account,
  BankDetails,
  Callback,
  Contestation,
  EffectRow,
  ListFinding,
  Payment,
  Quote,
  Refund,
  Resource,
  Transaction,
  Transition,
  User,
  Verification,
  Withdraw,
  Work,
} from './ours-rows.ts';

export type Ours = Awaited<ReturnType<typeof readOurs>>;

/**
 * Selects the work in progress at the time $1, from `readNow`: rows of the outbox that are due or leased. A planned nightly run and a
 * poll at a later time are not work in progress. An effect or a callback is, even if its next attempt is due later.
 */
export const WORK_IN_PROGRESS = `
  select id::text, 'effect ' || type as what, attempts, leased_by is not null as is_leased
  from effects where due_at is not null or leased_by is not null
  union all
  select id::text, 'callback ' || event_type, attempts, leased_by is not null
  from webhook_events where due_at is not null or leased_by is not null
  union all
  select handle::text, 'poll of the ' || kind, poll_count, leased_by is not null
  from provider_resources where next_poll_at <= $1 or leased_by is not null
  union all
  select run, 'nightly ' || job, 0, leased_by is not null from job_runs where due_at <= $1 or leased_by is not null`;

/** Reads the database's clock. `now()` in a statement about a distributed table is the clock of the server that has the rows. */
export async function readNow(database: Pool | Client): Promise<Date> {
  const { rows } = await database.query<{ now: Date }>('select now()');
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no time');
  return row.now;
}

export async function readOurs(databaseUrl: string) {
  const client = new Client({ connectionString: databaseUrl, types: withSafeIntegers() });
  await client.connect();
  const all = async <Row extends object>(query: string): Promise<Row[]> =>
    (await client.query<Row>(query)).rows;
  try {
    await client.query('begin isolation level repeatable read, read only');
    return {
      work: (await client.query<Work>(WORK_IN_PROGRESS, [await readNow(client)])).rows,
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
           source_amount_minor, exchange_rate, pix_key_type, home_debit_minor, brl_residual_minor, settled_at, end_to_end_id, voucher_id, failure,
           payout_failure_code, payout_failure_limit, expires_at,
           created_at
         from pix_payments order by id`,
      ),
      quotes: await all<Quote>(
        `select id, user_id, flow, provider_quote_id, source_amount_minor, expires_at, created_at from pix_quotes`,
      ),
      withdraws: await all<Withdraw>(
        'select id, user_id, state, seq, currency, amount_minor, failure, created_at from withdraws order by id',
      ),
      contestations: await all<Contestation>('select id, user_id, state, seq, payment_id from contestations'),
      refunds: await all<Refund>(
        `select id, user_id, state, seq, payment_id, movement_ref, amount_brl_minor, home_currency, attempt, home_credit_minor
         from payout_refunds order by id`,
      ),
      transitions: await all<Transition>(
        `select subject_kind, subject_id, seq, from_state, to_state, event, event_data, cause_kind, occurred_at as at
         from transitions order by subject_id, seq`,
      ),
      effects: await all<EffectRow>(
        'select subject_id, seq, type, params, status, attempts, last_error from effects',
      ),
      resources: await all<Resource>(
        'select handle, kind, user_id, subject_kind, subject_id, leg, provider_ref from provider_resources',
      ),
      callbacks: await all<Callback>(
        `select id, encode(identity, 'hex') as identity, event_type, status, attempts,
           (octet_length(payload_sealed) > 0)::int + coalesce(moved, 0) as payloads
         from webhook_events
         left join (select event_id, count(*)::int as moved from webhook_payloads group by event_id) payload on event_id = id`,
      ),
      discrepancies: await readDiscrepancies(client),
      findings: await all<ListFinding>(
        'select kind, list, provider_ref, resolved_at, resolution from list_findings',
      ),
    };
  } finally {
    await client.end();
  }
}

/** 64-bit integers arrive as numbers. An integer that a number cannot represent stops the audit. */
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
