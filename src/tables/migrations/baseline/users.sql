-- A user, as one identity provider identifies them. The cached balance is a copy; the provider's balance is authoritative.

create table users (
  id uuid not null,
  auth_provider auth_provider not null,
  auth_subject text not null,
  email_sealed bytea,
  display_name text not null,
  home_currency home_currency,
  balance_minor bigint,
  balance_read_at timestamptz(3),
  balance_version int default 0 not null,
  closed_at timestamptz(3),
  hard_deletion_due_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint users_pkey primary key (id)
);

create index users_due_for_deletion on users (hard_deletion_due_at) where hard_deletion_due_at is not null;
