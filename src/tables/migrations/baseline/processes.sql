-- A process that runs work. Its heartbeat is a counter. Other processes compare it with the value that they read before, and
-- measure time with their own clocks, so the clocks of two processes need not agree.

create table processes (
  id uuid not null,
  name varchar(120) not null,
  heartbeat bigint default 0 not null,
  started_at timestamptz(3) not null,
  heartbeat_at timestamptz(3) not null,
  constraint processes_pkey primary key (id)
) with (
  fillfactor = 50
);
