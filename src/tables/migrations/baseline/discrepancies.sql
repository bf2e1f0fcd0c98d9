-- A disagreement between the provider and our records. It is stored for operators and never changes a row by itself.

create type discrepancy_kind as enum (
  'contradicted_state',
  'not_as_ordered',
  'debit_differs',
  'delivery_differs',
  'twin',
  'vanished',
  'clock_stepped_back',
  'quote_lifetime',
  'not_ordered'
);

create table discrepancies (
  id uuid constraint contradictions_id_not_null not null,
  user_id uuid constraint contradictions_user_id_not_null not null,
  subject_kind subject_kind constraint contradictions_subject_kind_not_null not null,
  subject_id uuid constraint contradictions_subject_id_not_null not null,
  handle uuid constraint contradictions_handle_not_null not null,
  event varchar(60) constraint contradictions_event_not_null not null,
  event_data jsonb constraint contradictions_event_data_not_null not null,
  state varchar(40) constraint contradictions_state_not_null not null,
  snapshot_updated_at timestamptz(3) constraint contradictions_snapshot_at_not_null not null,
  cause_kind cause_kind constraint contradictions_cause_kind_not_null not null,
  cause_id text constraint contradictions_cause_id_not_null not null,
  occurred_at timestamptz(3) constraint contradictions_at_not_null not null,
  resolved_at timestamptz(3),
  resolution text,
  kind discrepancy_kind not null,
  fingerprint text not null,
  provider_ref uuid,
  constraint discrepancies_pkey primary key (id, user_id),
  constraint discrepancies_handle_kind_fingerprint_user_id_unique unique (handle, kind, fingerprint, user_id)
);

create index discrepancies_open on discrepancies (occurred_at) where resolved_at is null;
create index discrepancies_subject_id_index on discrepancies (subject_id);
