-- A withdrawal. Its id is the id of its transaction, so that clients poll one id. The destination is a sealed copy.

create type rail as enum ('FPS', 'SEPA');
create type withdraw_state as enum ('settling', 'completed', 'failed');

create table withdraws (
  id uuid not null,
  user_id uuid not null,
  state withdraw_state not null,
  seq int not null,
  currency home_currency not null,
  amount_minor bigint not null,
  rail rail not null,
  bank_details_id uuid not null,
  bank_details_version int not null,
  destination_sealed bytea not null,
  expected_settlement_seconds int not null,
  failure failure_code,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  state_entered_at timestamptz(3) not null,
  constraint withdraws_pkey primary key (id, user_id),
  constraint withdraws_user_id_foreign foreign key (user_id) references users (id) on delete restrict,
  constraint withdraws_amount_minor_check check (amount_minor > 0)
);

create index withdraws_ages on withdraws (state, rail, state_entered_at) where state = 'settling';
create index withdraws_unfinished on withdraws (id) where state = 'settling';
create index withdraws_user_page on withdraws (user_id, created_at, id);
