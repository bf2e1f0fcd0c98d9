-- The destination of a user's withdrawals, one per currency.

create type bank_validation_status as enum ('match', 'close_match', 'no_match', 'unavailable');

create table bank_details (
  id uuid not null,
  user_id uuid not null,
  currency home_currency not null,
  details_sealed bytea not null,
  version int not null,
  validation_status bank_validation_status,
  validated_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint bank_details_pkey primary key (id, user_id),
  constraint bank_details_user_id_currency_unique unique (user_id, currency),
  constraint bank_details_user_id_foreign foreign key (user_id) references users (id) on delete restrict
);
