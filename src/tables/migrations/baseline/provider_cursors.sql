-- How far a list of the provider has been scanned, so that each night continues where the last one ended.

create type provider_list as enum ('payouts', 'transfers', 'movements', 'accounts');

create table provider_cursors (
  list provider_list not null,
  after uuid,
  updated_at timestamptz(3) not null,
  planned_to timestamptz(3),
  constraint provider_cursors_pkey primary key (list)
);
