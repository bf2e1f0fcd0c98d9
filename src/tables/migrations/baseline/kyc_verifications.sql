-- A user's identity verification. The row's id is the user's id, because each user has one verification.

create type kyc_failure_code as enum (
  'document_unreadable',
  'document_expired',
  'name_mismatch',
  'not_eligible',
  'other'
);
create type kyc_level as enum ('basic', 'standard', 'enhanced');
create type kyc_state as enum ('pending', 'completed', 'failed');

create table kyc_verifications (
  id uuid not null,
  user_id uuid not null,
  state kyc_state not null,
  seq int not null,
  level kyc_level,
  identity_sealed bytea,
  completed_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  state_entered_at timestamptz(3) not null,
  identity_sealed_at timestamptz(3),
  attempt int default 1 not null,
  failure_code kyc_failure_code,
  constraint kyc_verifications_pkey primary key (id, user_id),
  constraint kyc_verifications_user_id_unique unique (user_id),
  constraint kyc_verifications_user_id_foreign foreign key (user_id) references users (id) on delete restrict
);

create index kyc_verifications_ages on kyc_verifications (state, state_entered_at) where state in ('pending', 'failed');
create index kyc_verifications_unfinished on kyc_verifications (id) where state in ('pending', 'failed');
