-- A process whose circuit to the provider is open. Other processes and operators read it here.

create table open_circuits (
  process varchar(120) not null,
  opened_at timestamptz(3) not null,
  heartbeat_at timestamptz(3) constraint open_circuits_seen_at_not_null not null,
  reason text not null,
  constraint open_circuits_pkey primary key (process)
);
