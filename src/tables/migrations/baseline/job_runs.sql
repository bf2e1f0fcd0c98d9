-- One run of a nightly job: when it is due, and its progress, so that any process can continue a run that another process started.

create table job_runs (
  job varchar(60) not null,
  run varchar(60) not null,
  "position" jsonb not null,
  counts jsonb not null,
  started_at timestamptz(3),
  updated_at timestamptz(3) not null,
  finished_at timestamptz(3),
  due_at timestamptz(3),
  leased_by uuid,
  lease_token int default 0 not null,
  failures int default 0 not null,
  constraint job_runs_pkey primary key (job, run)
);
