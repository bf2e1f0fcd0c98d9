// The fingerprint of how a run ends: states and amounts without ids or times. Equal ends have equal fingerprints.
import type { CrashEnvironment } from './environment.ts';

/** Rows as text, by the kind of row. */
export type Fingerprint = Record<string, string[]>;

/** Counts the unfinished work by kind. Empty if there is none. */
export async function underWay({ database, books }: CrashEnvironment): Promise<Record<string, number>> {
  const { rows } = await database.query<Record<string, number>>(`
    select
      (select count(*) from provider_resources where leased_by is not null or next_poll_at <= now()) as polls,
      (select count(*) from job_runs where leased_by is not null or due_at <= now()) as runs,
      (select count(*) from effects where status not in ('done', 'superseded')) as effects,
      (select count(*) from webhook_events where status not in ('applied', 'ignored')) as callbacks_here
  `);
  const there = books
    .prepare(
      `select (select count(*) from callbacks) as callbacks_there, (select count(*) from settlements) as settlements`,
    )
    .get();
  const counts = { ...rows[0], ...(there as Record<string, number>) };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

/** @returns the rows that were added since `before`: the user may have had earlier runs. */
export const since = (before: Fingerprint, after: Fingerprint): Fingerprint =>
  Object.fromEntries(
    Object.entries(after).map(([key, rows]) => {
      const old = [...(before[key] ?? [])];
      const isNew = (row: string): boolean => {
        const at = old.indexOf(row);
        if (at !== -1) old.splice(at, 1);
        return at === -1;
      };
      return [key, rows.filter(isNew)];
    }),
  );

/** Returns everything about one user that a crash must not change, on both sides. */
export async function fingerprintOf(environment: CrashEnvironment, subject: string): Promise<Fingerprint> {
  const found = await rowsOf(environment, subject);
  return Object.fromEntries(Object.entries(found).map(([key, rows]) => [key, sorted(rows)]));
}

async function rowsOf(environment: CrashEnvironment, subject: string): Promise<Record<string, unknown[]>> {
  const { database, books } = environment;
  const { rows } = await database.query<{ id: string; name: string; has_email: boolean; is_closed: boolean }>(
    `select id, display_name as name, email_sealed is not null as has_email, closed_at is not null as is_closed
     from users where auth_subject = $1`,
    [subject],
  );
  const [user] = rows;
  const ours = async (sql: string) => (await database.query(sql, [user?.id])).rows as unknown[];
  const handles = (await ours('select handle, provider_ref from provider_resources where user_id = $1')) as {
    handle: string;
    provider_ref: string | null;
  }[];
  const theirs = (table: string, columns: string, key: string): unknown[] =>
    handles.flatMap(({ handle, provider_ref: ref }) =>
      books
        .prepare(`select ${columns}, uuid = ? as is_known from ${table} where ${key} = ?`)
        .all(ref, handle),
    );
  return {
    users: rows.map(({ name, has_email, is_closed }) => ({ name, has_email, is_closed })),
    bank_details: await ours(
      'select currency, validation_status, validated_at is not null as is_validated from bank_details where user_id = $1',
    ),
    kyc: await ours(`select state, level from kyc_verifications where user_id = $1`),
    accounts: await ours(
      `select currency, state, deposit_instructions_sealed is not null as receives
       from provider_accounts where user_id = $1 order by currency`,
    ),
    payments: await ours(
      `select payment.state, flow, payment.source_amount_minor, home_debit_minor, usdc_delivered_minor,
         usdc_residual_minor, payout_attempt, payment.failure, end_to_end_id is not null as has_receipt,
         linked.status as linked, linked.failure as linked_failure, linked.completed_at is not null as was_completed
       from pix_payments payment join transactions linked on linked.id = transaction_id where payment.user_id = $1`,
    ).then((payments) => payments.map(withoutWhetherSeenComplete)),
    withdraws: await ours(
      `select withdraw.state, amount_minor, withdraw.failure, linked.status as linked
       from withdraws withdraw join transactions linked using (id) where withdraw.user_id = $1`,
    ),
    transactions: await ours(
      `select type, status, source_currency, source_amount_minor, dest_currency, dest_amount_minor
       from transactions where user_id = $1 order by type, source_amount_minor`,
    ),
    resources: await ours(
      `select kind, leg, provider_ref is not null as is_known, next_poll_at is null as is_at_rest
       from provider_resources where user_id = $1 order by kind, leg, subject_kind`,
    ),
    theirOwners: theirs('owners', 'status', 'external_id'),
    theirTransfers: theirs('transfers', 'status, source_amount, destination_amount', 'origin_id'),
    theirPayouts: theirs('payouts', 'status, attempt, amount, currency', 'origin_id'),
    theirAccounts: accountsOf(environment, handles),
    movements: movementsOf(environment, handles),
  };
}

/** If a payment was returned before the service polled it, the service never saw it complete. Its final state is the same. */
function withoutWhetherSeenComplete(payment: unknown): unknown {
  const { was_completed, has_receipt, ...rest } = payment as Record<string, unknown>;
  return rest['state'] === 'completed' ? { ...rest, was_completed, has_receipt } : rest;
}

type Handle = { handle: string };

const accountsOf = ({ books }: CrashEnvironment, handles: Handle[]): unknown[] =>
  handles.flatMap(({ handle }) =>
    books.prepare(`select currency, status from accounts where external_id = ?`).all(handle),
  );

const movementsOf = ({ books }: CrashEnvironment, handles: Handle[]): unknown[] =>
  handles.flatMap(({ handle }) =>
    books
      .prepare(
        `select movements.currency, direction, kind, amount from movements
         join accounts on accounts.uuid = account_uuid where external_id = ?`,
      )
      .all(handle),
  );

const sorted = (rows: unknown[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted();

/** Without its callback, the nightly job finds a deposit, and no nightly job runs here. */
const needDeposits = new Set([
  'every deposit is recorded exactly once',
  'money is conserved, per user and currency',
]);

/** Returns the faults of the whole environment, for all users. Empty if everything is correct. */
export async function faultsOf({
  kind,
  database,
  books,
  sandboxUrl,
  audit,
}: CrashEnvironment): Promise<string[]> {
  const { balanced } = (await (await fetch(`${sandboxUrl}/sandbox/ledger`)).json()) as { balanced: boolean };
  const named = new Set(
    (await database.query<{ handle: string }>('select handle from provider_resources')).rows.map(
      ({ handle }) => handle,
    ),
  );
  const theirs = books
    .prepare(
      `select external_id as handle from owners union all select external_id from accounts
       union all select origin_id from transfers union all select origin_id from payouts`,
    )
    .all();
  const findings = (await audit()).filter(
    ({ invariant }) => kind !== 'without-callbacks' || !needDeposits.has(invariant),
  );
  const { rows: withoutOnePayload } = await database.query<{ id: string }>(
    `select id from webhook_events left join webhook_payloads as payload on event_id = id
     where (octet_length(webhook_events.payload_sealed) > 0) = (event_id is not null)`,
  );
  const strays = theirs.filter(({ handle }) => !named.has(String(handle)));
  return [
    ...(balanced ? [] : ["the provider's ledger is not balanced"]),
    ...withoutOnePayload.map(({ id }) => `the payload of callback ${id} is not stored exactly once`),
    ...strays.map(() => 'something exists at the provider that none of our rows names'),
    ...findings.flatMap(({ invariant, violations }) =>
      violations.map(({ id, what }) => `${invariant}: ${id}: ${what}`),
    ),
  ];
}

/** The balances of all users' accounts by currency, and of the company's own accounts, in minor units. */
export const balancesOf = ({ books }: CrashEnvironment): Record<string, number> =>
  Object.fromEntries(
    books
      .prepare(
        `select case when name like 'customer:%' then 'customers:' || currency else name end as account,
           sum(balance) as balance from ledger_accounts group by account`,
      )
      .all()
      .map(({ account, balance }) => [String(account), Number(balance)]),
  );
