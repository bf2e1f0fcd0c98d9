import { Migration } from '@mikro-orm/migrations';

const payment = `'quoted', 'converting.direct', 'converting.leg1', 'converting.leg2', 'paying', 'completed', 'payout_failed', 'refunding', 'refunded', 'manual_review', 'failed', 'conversion_failed'`;
const withdraw = `'settling', 'completed', 'failed'`;
const account = `'provisioning', 'active'`;
const kyc = `'pending', 'completed', 'failed'`;

/** As they are in this version. The entities take theirs from the machines, and the two are compared in a test. */
const types: Record<string, string> = {
  auth_provider: `'identity_provider_a', 'identity_provider_b'`,
  bank_validation_status: `'match', 'close_match', 'no_match', 'unavailable'`,
  cause_kind: `'request', 'webhook', 'job', 'operator'`,
  conversion_leg: `'direct', 'leg1', 'leg2', 'reverse'`,
  currency: `'GBP', 'EUR', 'BRL', 'USDC'`,
  data_request_status: `'open', 'closed'`,
  data_request_type: `'access', 'rectification', 'portability', 'restriction', 'objection', 'erasure'`,
  discrepancy_kind: `'contradicted_state', 'not_as_ordered', 'debit_differs', 'delivery_differs', 'twin', 'vanished', 'clock_stepped_back', 'quote_lifetime'`,
  effect_status: `'queued', 'done', 'superseded', 'exhausted'`,
  effect_subject_kind: `'kyc', 'provider_account', 'pix_payment', 'withdraw', 'bank_details'`,
  effect_type: `'startConversion', 'startPayout', 'startWithdrawPayout', 'provisionAccounts', 'openAccount', 'validateBankDetails'`,
  failure_code: `'insufficient_funds', 'quote_expired', 'conversion_failed', 'account_not_active', 'amount_mismatch', 'payout_failed', 'payout_returned', 'refunded', 'withdraw_failed', 'withdraw_returned', 'under_review', 'provider_rejected'`,
  home_currency: `'GBP', 'EUR'`,
  kyc_level: `'basic', 'standard', 'enhanced'`,
  kyc_state: kyc,
  payment_flow: `'direct', 'two_hop'`,
  pix_key_type: `'cpf', 'cnpj', 'phone', 'email', 'evp'`,
  pix_payment_state: payment,
  provider_account_state: account,
  provider_list: `'payouts', 'transfers'`,
  provider_object_kind: `'owner', 'account', 'movement'`,
  rail: `'FPS', 'SEPA'`,
  requoted_leg: `'leg2', 'reverse'`,
  resource_kind: `'owner', 'account', 'transfer', 'payout'`,
  snapshot_status: `'pending', 'provisioning', 'active', 'completed', 'failed', 'refunded'`,
  subject_kind: `'kyc', 'provider_account', 'pix_payment', 'withdraw'`,
  transaction_status: `'pending', 'settling', 'completed', 'failed'`,
  transaction_type: `'deposit', 'payment', 'withdraw'`,
  webhook_event_status: `'received', 'applied', 'ignored', 'unmatched'`,
  webhook_secret_status: `'pending', 'current', 'former'`,
  withdraw_state: withdraw,
};

/** Which columns have become of which type. */
const tables: Record<string, Record<string, string>> = {
  bank_details: { currency: 'home_currency', validation_status: 'bank_validation_status' },
  conversion_quotes: { leg: 'requoted_leg' },
  data_requests: { type: 'data_request_type', status: 'data_request_status' },
  discrepancies: { subject_kind: 'subject_kind', kind: 'discrepancy_kind', cause_kind: 'cause_kind' },
  effects: { subject_kind: 'effect_subject_kind', type: 'effect_type', status: 'effect_status' },
  identity_users: { auth_provider: 'auth_provider' },
  kyc_verifications: { state: 'kyc_state', level: 'kyc_level' },
  pix_payments: {
    state: 'pix_payment_state',
    flow: 'payment_flow',
    source_currency: 'home_currency',
    pix_key_type: 'pix_key_type',
    failure: 'failure_code',
  },
  pix_quotes: { flow: 'payment_flow', source_currency: 'home_currency' },
  provider_accounts: { currency: 'currency', state: 'provider_account_state' },
  provider_cursors: { list: 'provider_list' },
  provider_object_users: { kind: 'provider_object_kind' },
  provider_resources: {
    kind: 'resource_kind',
    subject_kind: 'subject_kind',
    leg: 'conversion_leg',
    snapshot_status: 'snapshot_status',
  },
  transactions: { type: 'transaction_type', status: 'transaction_status', failure: 'failure_code' },
  transitions: { subject_kind: 'subject_kind', cause_kind: 'cause_kind' },
  users: { auth_provider: 'auth_provider', home_currency: 'home_currency' },
  webhook_events: { status: 'webhook_event_status' },
  webhook_secrets: { status: 'webhook_secret_status' },
  withdraws: {
    state: 'withdraw_state',
    currency: 'home_currency',
    rail: 'rail',
    failure: 'failure_code',
  },
};

const defaults: Record<string, [column: string, value: string]> = {
  data_requests: ['status', 'open'],
  effects: ['status', 'queued'],
  webhook_events: ['status', 'received'],
};

/** Checks and indexes whose conditions name such a column: they are made anew. */
const checks: [table: string, name: string, condition: string][] = [
  ['effects', 'effects_due_check', `(status = 'queued') = (due_at is not null)`],
  ['webhook_events', 'webhook_events_due_check', `(status = 'received') = (due_at is not null)`],
  [
    'transactions',
    'transactions_dest_check',
    `(dest_currency is null) = (dest_amount_minor is null) and (type = 'payment' or dest_currency is null)`,
  ],
];
const unfinishedPayments = `state in ('quoted', 'converting.direct', 'converting.leg1', 'converting.leg2', 'paying', 'payout_failed', 'refunding', 'manual_review')`;
const indexes: [name: string, on: string][] = [
  ['data_requests_open', `data_requests (due_at) where status = 'open'`],
  ['effects_unfinished', `effects (created_at) where status in ('queued', 'exhausted')`],
  ['kyc_verifications_unfinished', `kyc_verifications (id) where state in ('pending', 'failed')`],
  [
    'kyc_verifications_ages',
    `kyc_verifications (state, state_entered_at) where state in ('pending', 'failed')`,
  ],
  ['pix_payments_unfinished', `pix_payments (id) where ${unfinishedPayments}`],
  [
    'pix_payments_ages',
    `pix_payments (state, state_entered_at) where ${unfinishedPayments} and acknowledged_seq is distinct from seq`,
  ],
  ['provider_accounts_unfinished', `provider_accounts (id) where state = 'provisioning'`],
  ['provider_accounts_ages', `provider_accounts (state, state_entered_at) where state = 'provisioning'`],
  ['transitions_request', `transitions (cause_id) where cause_kind = 'request'`],
  ['webhook_events_open', `webhook_events (received_at) where status in ('received', 'unmatched')`],
  ['withdraws_unfinished', `withdraws (id) where state = 'settling'`],
  ['withdraws_ages', `withdraws (state, rail, state_entered_at) where state = 'settling'`],
];

// PostgreSQL parses and plans every check of a table anew for each statement that writes to it: that took half of what writing a
// payment's rows cost. So lists of values are types, and the states of each lifecycle are listed in a function, whose plan a
// connection keeps. Each table is written anew, once, with its indexes.
export class Migration20261123040000 extends Migration {
  override name = 'Migration20261123040000';

  override up(): void | Promise<void> {
    for (const [name, values] of Object.entries(types))
      this.addSql(`create type ${name} as enum (${values});`);
    this.addSql(`${isStateOf};`);
    this.addSql(`alter table transitions drop constraint transitions_states_check;`);
    for (const [name] of indexes) this.addSql(`drop index ${name};`);
    for (const [table, columns] of Object.entries(tables))
      this.addSql(
        alter(
          table,
          Object.keys(columns).map((column) => `drop constraint ${table}_${column}_check`),
          columns,
          [],
        ),
      );
    for (const [name, on] of indexes) this.addSql(`create index ${name} on ${on};`);
    this.addSql(
      `alter table transitions add constraint transitions_states_check check (is_state_of(subject_kind, from_state) and is_state_of(subject_kind, to_state));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table transitions drop constraint transitions_states_check;`);
    this.addSql(`drop function is_state_of;`);
    for (const [name] of indexes) this.addSql(`drop index ${name};`);
    for (const [table, columns] of Object.entries(tables))
      this.addSql(
        alter(
          table,
          [],
          Object.fromEntries(Object.keys(columns).map((column) => [column, 'text'])),
          Object.entries(columns).map(
            ([column, type]) =>
              `add constraint ${table}_${column}_check check (${column} in (${types[type]}))`,
          ),
        ),
      );
    for (const [name, on] of indexes) this.addSql(`create index ${name} on ${on};`);
    const steps = lifecycles.map(
      ([kind, states]) =>
        `subject_kind = '${kind}' and to_state in (${states}) and (from_state is null or from_state in (${states}))`,
    );
    this.addSql(
      `alter table transitions add constraint transitions_states_check check (${steps.join(' or ')});`,
    );
    for (const name of Object.keys(types)) this.addSql(`drop type ${name};`);
  }
}

/** One statement, so that the table is written anew once. */
function alter(
  table: string,
  before: string[],
  columns: Record<string, string>,
  afterwards: string[],
): string {
  const own = checks.filter(([of]) => of === table);
  const [withDefault, value] = defaults[table] ?? [];
  const parts = [
    ...before,
    ...own.map(([, name]) => `drop constraint ${name}`),
    ...(withDefault ? [`alter ${withDefault} drop default`] : []),
    ...Object.entries(columns).map(
      ([column, type]) => `alter ${column} type ${type} using ${column}::${type}`,
    ),
    ...(withDefault ? [`alter ${withDefault} set default '${value}'`] : []),
    ...own.map(([, name, condition]) => `add constraint ${name} check (${condition})`),
    ...afterwards,
  ];
  return `alter table ${table} ${parts.join(', ')};`;
}

const lifecycles: [kind: string, states: string][] = [
  ['kyc', kyc],
  ['provider_account', account],
  ['pix_payment', payment],
  ['withdraw', withdraw],
];

// No state is of no kind: the answer to null is null, which a check lets pass.
const isStateOf = `create function is_state_of(kind subject_kind, state text) returns boolean
  immutable strict parallel safe language plpgsql as $$ begin
    return case kind ${lifecycles.map(([kind, states]) => `when '${kind}' then state in (${states})`).join(' ')} else false end;
  end $$`;
