-- One of a user's accounts at the provider: in the home currency, in BRL, and in USDC if the two-hop flow is enabled.

create type currency as enum ('GBP', 'EUR', 'BRL', 'USDC');
create type provider_account_state as enum ('provisioning', 'active');

create table provider_accounts (
  id uuid not null,
  user_id uuid not null,
  currency currency not null,
  state provider_account_state not null,
  seq int not null,
  provider_account_id uuid,
  deposit_instructions_sealed bytea,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  movements_cursor uuid,
  state_entered_at timestamptz(3) not null,
  deposit_instructions_sealed_at timestamptz(3),
  constraint provider_accounts_pkey primary key (id, user_id),
  constraint provider_accounts_provider_account_id_user_id_unique unique (provider_account_id, user_id),
  constraint provider_accounts_user_id_currency_unique unique (user_id, currency),
  constraint provider_accounts_user_id_foreign foreign key (user_id) references users (id) on delete restrict
);

create index provider_accounts_ages on provider_accounts (state, state_entered_at) where state = 'provisioning';
create index provider_accounts_unfinished on provider_accounts (id) where state = 'provisioning';
