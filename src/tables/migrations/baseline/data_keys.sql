-- A data key, wrapped by the master key that the row names. Deleting the row makes everything that the key sealed unreadable.

create table data_keys (
  scope varchar(64) not null,
  master_key_id varchar(64) not null,
  wrapped_key bytea not null,
  created_at timestamptz(3) not null,
  constraint data_keys_pkey primary key (scope)
);

create index data_keys_master_key on data_keys (master_key_id, scope);
