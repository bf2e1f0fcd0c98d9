-- A callback, stored once under its identity before it is acknowledged.

create type webhook_event_status as enum ('received', 'applied', 'ignored', 'unmatched');

create table webhook_events (
  id uuid not null,
  provider text not null,
  external_id varchar(64) not null,
  event_type text not null,
  payload_sealed bytea not null,
  status webhook_event_status default 'received' not null,
  outcome text,
  attempts int default 0 not null,
  transaction_id uuid,
  received_at timestamptz(3) not null,
  processed_at timestamptz(3),
  due_at timestamptz(3),
  leased_by uuid,
  lease_token int default 0 not null,
  user_id uuid,
  constraint webhook_events_pkey primary key (id),
  constraint webhook_events_provider_external_id_unique unique (provider, external_id),
  constraint webhook_events_due_check check ((status = 'received') = (due_at is not null))
) with (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05
);

create index webhook_events_due on webhook_events (coalesce(user_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'), due_at)
  where leased_by is null and due_at is not null;
create index webhook_events_due_at on webhook_events (due_at, id) where leased_by is null and due_at is not null;
create index webhook_events_failing on webhook_events (id) where due_at is not null and attempts >= 5;
create index webhook_events_kept_payloads on webhook_events (processed_at)
  where processed_at is not null and octet_length(payload_sealed) > 0;
create index webhook_events_leased on webhook_events (leased_by, due_at)
  where leased_by is not null and due_at is not null;
create index webhook_events_open on webhook_events (received_at) where status in ('received', 'unmatched');
create index webhook_events_processed on webhook_events (processed_at) where processed_at is not null;
create index webhook_events_transaction on webhook_events (transaction_id) where transaction_id is not null;
