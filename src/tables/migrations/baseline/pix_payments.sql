-- A PIX payment: the promised amount, the recipient, and the machine's record of the money.

create type pix_key_type as enum ('cpf', 'cnpj', 'phone', 'email', 'evp');
create type pix_payment_state as enum (
  'quoted',
  'converting.direct',
  'converting.leg1',
  'converting.leg2',
  'paying',
  'completed',
  'payout_failed',
  'refunding',
  'refunded',
  'manual_review',
  'failed',
  'conversion_failed'
);
create type settlement_currency as enum ('GBP', 'EUR', 'BRL');

create table pix_payments (
  id uuid not null,
  user_id uuid not null,
  transaction_id uuid not null,
  quote_id uuid not null,
  state pix_payment_state not null,
  seq int not null,
  flow payment_flow not null,
  amount_brl_minor bigint not null,
  source_currency home_currency not null,
  source_amount_minor bigint not null,
  exchange_rate numeric(20,8) not null,
  pix_key_type pix_key_type not null,
  pix_key_sealed bytea not null,
  recipient_name_sealed bytea,
  home_debit_minor bigint,
  usdc_delivered_minor bigint,
  usdc_residual_minor bigint,
  payout_attempt int default 0 not null,
  end_to_end_id text,
  voucher_id text,
  failure failure_code,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  state_entered_at timestamptz(3) not null,
  acknowledged_seq int,
  acknowledged_at timestamptz(3),
  acknowledgement text,
  usdc_quoted_minor bigint,
  brl_residual_minor bigint,
  return_cap_bps int,
  settlement_amount_minor bigint,
  settlement_currency settlement_currency,
  settlement_reference text,
  settlement_proposed_by text,
  settlement_confirmed_by text,
  settled_at timestamptz(3),
  constraint pix_payments_pkey primary key (id, user_id),
  constraint pix_payments_quote_id_user_id_unique unique (quote_id, user_id),
  constraint pix_payments_transaction_id_user_id_unique unique (transaction_id, user_id),
  constraint pix_payments_quote_id_user_id_foreign foreign key (quote_id, user_id)
    references pix_quotes (id, user_id) on delete restrict,
  constraint pix_payments_transaction_id_user_id_foreign foreign key (transaction_id, user_id)
    references transactions (id, user_id) on delete restrict,
  constraint pix_payments_user_id_foreign foreign key (user_id) references users (id) on delete restrict,
  constraint pix_payments_amount_brl_minor_check check (amount_brl_minor > 0),
  constraint pix_payments_source_amount_minor_check check (source_amount_minor > 0)
);

create index pix_payments_ages on pix_payments (state, state_entered_at)
  where (state in ('quoted', 'converting.direct', 'converting.leg1', 'converting.leg2', 'paying', 'payout_failed', 'refunding', 'manual_review')) and acknowledged_seq is distinct from seq;
create index pix_payments_end_to_end_id on pix_payments (end_to_end_id) where end_to_end_id is not null;
create index pix_payments_unfinished on pix_payments (id)
  where state in ('quoted', 'converting.direct', 'converting.leg1', 'converting.leg2', 'paying', 'payout_failed', 'refunding', 'manual_review');
create index pix_payments_user_page on pix_payments (user_id, created_at, id);
create index pix_payments_voucher_id on pix_payments (voucher_id) where voucher_id is not null;
