-- The customer's list of money movements: deposits, payments and withdrawals.

create type transaction_status as enum ('pending', 'settling', 'completed', 'failed');
create type transaction_type as enum ('deposit', 'payment', 'withdraw');

create table transactions (
  id uuid not null,
  user_id uuid not null,
  type transaction_type not null,
  status transaction_status not null,
  source_currency varchar(4) not null,
  source_amount_minor bigint not null,
  dest_currency varchar(4),
  dest_amount_minor bigint,
  fx_rate numeric(20,8),
  provider text not null,
  provider_ref uuid,
  failure failure_code,
  created_at timestamptz(3) not null,
  completed_at timestamptz(3),
  source_reference_sealed bytea,
  constraint transactions_pkey primary key (id, user_id),
  constraint transactions_provider_ref_unique unique (provider, provider_ref, user_id),
  constraint transactions_user_id_foreign foreign key (user_id) references users (id) on delete restrict,
  constraint transactions_dest_check
    check ((dest_currency is null) = (dest_amount_minor is null) and (type = 'payment' or dest_currency is null)),
  constraint transactions_source_amount_minor_check check (source_amount_minor > 0)
);

create index transactions_user_page on transactions (user_id, created_at, id);
