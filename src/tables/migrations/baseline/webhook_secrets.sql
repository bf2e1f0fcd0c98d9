-- The secrets in the paths of callbacks, as hashes. Every process accepts them in addition to the one in its configuration.

create type webhook_secret_status as enum ('pending', 'current', 'former');

create table webhook_secrets (
  id uuid not null,
  hash varchar(64) not null,
  status webhook_secret_status not null,
  created_at timestamptz(3) not null,
  accepted_until timestamptz(3),
  constraint webhook_secrets_pkey primary key (id),
  constraint webhook_secrets_hash_unique unique (hash)
);
