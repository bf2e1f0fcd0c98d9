-- A part of the provider's lists that a scan could not read. It stays open until it can be read or an operator closes it.

create type list_finding_kind as enum ('unreadable', 'cursor_circle');
create type scanned_list as enum ('payouts', 'transfers', 'movements');

create table list_findings (
  id uuid not null,
  kind list_finding_kind not null,
  list scanned_list not null,
  account_ref uuid,
  provider_ref uuid,
  "position" uuid,
  reason text not null,
  found_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  resolution text,
  constraint list_findings_pkey primary key (id)
);

create index list_findings_open on list_findings (list, id) where resolved_at is null;
