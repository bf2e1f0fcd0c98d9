-- The user that an object at the provider belongs to, for objects that must belong to only one user: a verified identity, an
-- account, or a movement of money on an account. The object is unique across all users, so the row is found by the provider's id
-- and does not reference `users`.

create type provider_object_kind as enum ('owner', 'account', 'movement');

create table provider_object_users (
  provider_ref uuid not null,
  kind provider_object_kind not null,
  user_id uuid not null,
  constraint provider_object_users_pkey primary key (provider_ref, kind)
);

create index provider_object_users_user_id_index on provider_object_users (user_id);
