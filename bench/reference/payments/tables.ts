// The tables of the reference service. They contain what a payment needs to be durable, without history or sealed values.
import type { Pool } from 'pg';

export const createTables = async (db: Pool): Promise<void> => void (await db.query(TABLES));

const TABLES = `
create table users (
  id uuid primary key, name text not null, home_currency text not null, created_at timestamptz not null
);

create table accounts (
  user_id uuid not null references users, currency text not null, provider_account_id uuid not null,
  primary key (user_id, currency)
);

create table quotes (
  id uuid primary key, user_id uuid not null references users, amount_brl_minor bigint not null,
  source_currency text not null, source_amount_minor bigint not null, rate numeric(18, 8) not null,
  provider_quote_id uuid not null, expires_at timestamptz not null, created_at timestamptz not null
);

create table transactions (
  id uuid primary key, user_id uuid not null references users, type text not null, status text not null,
  source_currency text not null, source_amount_minor bigint not null, dest_currency text, dest_amount_minor bigint,
  fx_rate numeric(18, 8), failure text, created_at timestamptz not null, completed_at timestamptz
);
create index transactions_of_user on transactions (user_id, created_at, id);

create table payments (
  id uuid primary key, user_id uuid not null references users,
  transaction_id uuid not null unique references transactions, quote_id uuid not null unique references quotes,
  state text not null, source_currency text not null, source_amount_minor bigint not null,
  amount_brl_minor bigint not null, exchange_rate numeric(18, 8) not null, pix_key text not null,
  pix_key_type text not null, recipient_name text,
  transfer_id uuid, payout_id uuid, end_to_end_id text, voucher_id text, failure text,
  expires_at timestamptz not null, created_at timestamptz not null, updated_at timestamptz not null
);
create index payments_of_user on payments (user_id, created_at, id);

create table callbacks (
  id uuid primary key, identity text not null unique, event_type text not null, payload jsonb not null,
  received_at timestamptz not null, status text not null, processed_at timestamptz
);
`;
