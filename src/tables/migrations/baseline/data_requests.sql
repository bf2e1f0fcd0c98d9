-- A data subject's request. Support answers it within 30 days.

create type data_request_status as enum ('open', 'closed');
create type data_request_type as enum ('access', 'rectification', 'portability', 'restriction', 'objection', 'erasure');

create table data_requests (
  id uuid not null,
  user_id uuid not null,
  type data_request_type not null,
  status data_request_status default 'open' not null,
  notes_sealed bytea,
  received_at timestamptz(3) not null,
  due_at timestamptz(3) not null,
  closed_at timestamptz(3),
  constraint data_requests_pkey primary key (id, user_id),
  constraint data_requests_user_id_foreign foreign key (user_id) references users (id) on delete restrict
);

create index data_requests_open on data_requests (due_at) where status = 'open';
create index data_requests_user_id_index on data_requests (user_id);
