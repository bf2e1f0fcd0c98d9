-- The outbox: the calls that committed transitions emitted, and their progress.

create type effect_status as enum ('queued', 'done', 'superseded', 'exhausted');
create type effect_subject_kind as enum ('kyc', 'provider_account', 'pix_payment', 'withdraw', 'bank_details');
create type effect_type as enum (
  'startConversion',
  'startPayout',
  'startWithdrawPayout',
  'provisionAccounts',
  'openAccount',
  'validateBankDetails'
);

create table effects (
  id uuid not null,
  user_id uuid not null,
  subject_kind effect_subject_kind not null,
  subject_id uuid not null,
  seq int not null,
  type effect_type not null,
  params jsonb not null,
  status effect_status default 'queued' not null,
  attempts int default 0 not null,
  last_error text,
  due_at timestamptz(3),
  last_unknown_at timestamptz(3),
  created_at timestamptz(3) not null,
  finished_at timestamptz(3),
  held_refusal varchar(60),
  paused_ms bigint default 0 not null,
  leased_by uuid,
  lease_token int default 0 not null,
  urgent_until timestamptz(3),
  traceparent varchar(55),
  constraint effects_pkey primary key (id, user_id),
  constraint effects_due_check check ((status = 'queued') = (due_at is not null))
) with (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05
);

create index effects_due on effects (user_id, due_at) where leased_by is null and due_at is not null;
create index effects_due_at on effects (due_at, id) where leased_by is null and due_at is not null;
create index effects_failing on effects (id) where due_at is not null and attempts >= 5;
create index effects_leased on effects (leased_by, due_at) where leased_by is not null and due_at is not null;
create index effects_subject on effects (subject_id, seq);
create index effects_unfinished on effects (created_at) where status in ('queued', 'exhausted');
create index effects_urgent on effects (user_id, urgent_until)
  where leased_by is null and status = 'queued' and urgent_until is not null;
create index effects_urgent_until on effects (urgent_until, id)
  where leased_by is null and status = 'queued' and urgent_until is not null;
