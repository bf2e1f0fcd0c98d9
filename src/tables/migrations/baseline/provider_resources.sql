-- Every object that exists, or may exist, at the provider for us, by the handle chosen before the request.

create type conversion_leg as enum ('direct', 'leg1', 'leg2', 'reverse', 'return');
create type resource_kind as enum ('owner', 'account', 'transfer', 'payout');
create type snapshot_status as enum ('pending', 'provisioning', 'active', 'completed', 'failed', 'refunded');

create table provider_resources (
  handle uuid not null,
  kind resource_kind not null,
  user_id uuid not null,
  subject_kind subject_kind not null,
  subject_id uuid not null,
  leg conversion_leg,
  provider_ref uuid,
  debited_balance_version int,
  snapshot_updated_at timestamptz(3),
  reason_sealed bytea,
  poll_count int default 0 constraint provider_resources_checks_not_null not null,
  next_poll_at timestamptz(3),
  created_at timestamptz(3) not null,
  callback_secret_id uuid,
  snapshot_status snapshot_status,
  snapshot_attempt int,
  snapshot_content text,
  announced_at timestamptz(3),
  leased_by uuid,
  lease_token int default 0 not null,
  poll_failures int default 0 not null,
  reason_sealed_at timestamptz(3),
  traceparent varchar(55),
  constraint provider_resources_pkey primary key (handle, user_id),
  constraint provider_resources_provider_ref_user_id_unique unique (provider_ref, user_id)
) with (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05
);

create index provider_resources_debited on provider_resources (user_id, debited_balance_version)
  where debited_balance_version is not null;
create index provider_resources_due on provider_resources (next_poll_at, handle)
  where leased_by is null and next_poll_at is not null;
create index provider_resources_failing on provider_resources (handle)
  where next_poll_at is not null and poll_failures >= 5;
create index provider_resources_leased on provider_resources (leased_by, next_poll_at) where leased_by is not null;
create index provider_resources_subject on provider_resources (subject_id);
create index provider_resources_unplaced on provider_resources (user_id) where provider_ref is null;
