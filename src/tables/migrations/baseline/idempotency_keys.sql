-- A client's Idempotency-Key, and the resource that its request created. Only keys of successful requests are stored.

create table idempotency_keys (
  user_id uuid not null,
  operation varchar(40) not null,
  key varchar(255) not null,
  request_hash bytea not null,
  resource_id uuid not null,
  created_at timestamptz(3) not null,
  constraint idempotency_keys_pkey primary key (user_id, operation, key)
);

create index idempotency_keys_created_at on idempotency_keys (created_at);
