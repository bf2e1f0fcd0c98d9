// The sandbox's tables. Times are milliseconds since 1970, amounts are minor units. No handle is unique, because an imperfect
// provider makes twins.

export const SCHEMA = `
create table if not exists settings (
  name text primary key, value text not null
) strict, without rowid;

create table if not exists owners (
  seq integer primary key, uuid text not null unique, external_id text not null, content text not null,
  status text not null, level text, verification_token text, verification_expires_at integer,
  full_name text, email text, completed_at integer, attempt integer not null default 1, failure_code text,
  callback_url text, updated_at integer not null
) strict;
create index if not exists owners_by_handle on owners (external_id);

create table if not exists verifications (
  token text primary key, owner_uuid text not null, expires_at integer not null
) strict, without rowid;

create table if not exists accounts (
  seq integer primary key, uuid text not null unique, external_id text not null, content text not null,
  owner_uuid text not null, currency text not null, status text not null,
  account_number text unique, sort_code text, iban text unique, bic text,
  callback_url text, updated_at integer not null
) strict;
create index if not exists accounts_by_handle on accounts (external_id);

create table if not exists movements (
  seq integer primary key, uuid text not null unique, account_uuid text not null,
  direction text not null, kind text not null, amount integer not null check (amount > 0),
  currency text not null, source_reference text, named_as text, created_at integer not null
) strict;
create index if not exists movements_of_account on movements (account_uuid, seq);

create table if not exists quotes (
  uuid text primary key, source_currency text not null, source_amount integer not null,
  destination_currency text not null, destination_amount integer not null, rate text not null,
  markup_bps integer not null, margin_amount integer not null, subsidy_amount integer not null,
  expires_at integer not null, transfer_uuid text
) strict, without rowid;

create table if not exists transfers (
  seq integer primary key, uuid text not null unique, origin_id text not null,
  content text not null, quote_uuid text not null, status text not null,
  source_account_uuid text not null, destination_account_uuid text not null,
  source_amount integer not null, destination_amount integer not null, rate text not null,
  failure_reason text, callback_url text, updated_at integer not null
) strict;
create index if not exists transfers_by_handle on transfers (origin_id);

create table if not exists payouts (
  seq integer primary key, uuid text not null unique, origin_id text not null,
  content text not null, attempt integer not null, status text not null, source_account_uuid text not null,
  amount integer not null, debited integer not null default 0, currency text not null, rail text not null,
  destination text not null, end_to_end_id text, voucher_id text, failure_reason text, failure_code text,
  failure_limit text, retry_from text, lookup_uuid text, br_code_uuid text, charge_uuid text, refunds text,
  callback_url text, updated_at integer not null
) strict;
create index if not exists payouts_by_handle on payouts (origin_id);

create table if not exists contestations (
  uuid text primary key, payout_uuid text not null unique, origin_id text not null, content text not null,
  reason text not null, status text not null, refunded_amount integer not null, resolved_at integer,
  updated_at integer not null
) strict, without rowid;

create table if not exists pix_key_lookups (
  uuid text primary key, owner_uuid text not null, pix_key text not null, pix_key_type text not null,
  recipient_name text not null, recipient_tax_id text not null, institution_name text not null,
  created_at integer not null
) strict, without rowid;
create index if not exists pix_key_lookups_of_owner on pix_key_lookups (owner_uuid, created_at);

create table if not exists charges (
  uuid text primary key, address text not null unique, pix_key text not null, pix_key_type text not null,
  recipient_name text not null, institution_name text not null, amount integer, amount_is_fixed integer not null,
  expires_at integer, created_at integer not null
) strict, without rowid;

create table if not exists br_codes (
  uuid text primary key, owner_uuid text not null, charge_uuid text, pix_key text not null,
  pix_key_type text not null, recipient_name text not null, institution_name text not null, amount integer,
  amount_is_fixed integer not null, expires_at integer, created_at integer not null
) strict, without rowid;

create table if not exists ledger_accounts (
  name text primary key, currency text not null, balance integer not null,
  check (name not like 'customer:%' or balance >= 0)
) strict, without rowid;

create table if not exists ledger_entries (
  seq integer primary key, transaction_id integer not null, account text not null, currency text not null,
  amount integer not null
) strict;

create table if not exists ledger_transactions (
  id integer primary key, reason text not null, reference text not null, created_at integer not null
) strict;

create table if not exists settlements (
  id integer primary key, due_at integer not null, task text not null, uuid text not null, detail text not null
) strict;
create index if not exists settlements_due on settlements (due_at);

create table if not exists callbacks (
  id integer primary key, due_at integer not null, attempts integer not null default 0, created_at integer not null,
  resource text not null, uuid text not null, body text not null
) strict;
create index if not exists callbacks_by_due_time on callbacks (due_at);

create table if not exists callbacks_held (id integer primary key) strict;

create table if not exists ordered_faults (
  id integer primary key, operation text not null, fault text not null, times integer not null, about text not null,
  retry_after_seconds integer, details text not null
) strict;

create table if not exists injected_faults (
  id integer primary key, kind text not null, resource_uuid text, origin_id text, at integer not null,
  details text not null
) strict;
create index if not exists injected_faults_of_resource on injected_faults (resource_uuid);
create index if not exists injected_faults_of_handle on injected_faults (origin_id);

create table if not exists active_faults (
  kind text not null, subject text not null, until integer, details text not null, primary key (kind, subject)
) strict, without rowid;

create table if not exists past_states (
  id integer primary key, uuid text not null, until integer not null, row text
) strict;
create index if not exists past_states_of_resource on past_states (uuid, until);
create index if not exists past_states_by_age on past_states (until);

create table if not exists answered_writes (uuid text primary key, at integer not null) strict, without rowid;

create table if not exists late_requests (
  id integer primary key, fault_id integer not null, operation text not null, request text not null,
  sent_at integer not null, due_at integer not null, received_at integer, status integer, reply text
) strict;
create index if not exists late_requests_on_their_way on late_requests (due_at) where received_at is null;

create table if not exists fault_counts (
  what text not null, name text not null, n integer not null, primary key (what, name)
) strict, without rowid;
`;
