-- The audit log: who read, or tried to read, which data. It is append-only, and each row is chained to the one before it. The
-- database numbers and hashes new rows and refuses every change (src/tables/migrations).

create function audit_events_chain() returns trigger language plpgsql set search_path = public, pg_temp as $$
  declare
    last record;
  begin
    perform pg_advisory_xact_lock(hashtextextended('audit_events', 0));
    select seq, hash into last from audit_events order by seq desc limit 1;
    new.seq := coalesce(last.seq, 0) + 1;
    new.previous_hash := coalesce(last.hash, repeat('0', 64));
    new.recorded_at := date_trunc('milliseconds', clock_timestamp());
    new.hash := (
      select encode(sha256(convert_to(
        string_agg(coalesce(octet_length(convert_to(field, 'UTF8')) || ':' || field, '-'), E'\n' order by place),
        'UTF8')), 'hex')
      from unnest(array[
        new.seq::text, new.previous_hash, new.id::text,
        to_char(new.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        new.action, new.user_id::text, new.request_id, new.details::text,
        to_char(new.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      ]) with ordinality as line (field, place)
    );
    return new;
  end $$;

create function audit_events_refuse() returns trigger language plpgsql as $$
      begin
        raise exception 'audit_events only ever grows' using errcode = 'restrict_violation';
      end $$;

create table audit_events (
  id uuid not null,
  occurred_at timestamptz(3) constraint audit_events_at_not_null not null,
  action varchar(60) not null,
  user_id uuid,
  request_id text,
  details jsonb not null,
  seq bigint default '0' not null,
  previous_hash varchar(64) default '' not null,
  hash varchar(64) default '' not null,
  recorded_at timestamptz(3),
  constraint audit_events_pkey primary key (id),
  constraint audit_events_seq_unique unique (seq)
);

create index audit_events_request on audit_events (request_id) where request_id is not null;
create index audit_events_user on audit_events (user_id, seq) where user_id is not null;

create trigger audit_events_chain before insert on audit_events for each row execute function audit_events_chain();
create trigger audit_events_keep before delete or update on audit_events for each row
  execute function audit_events_refuse();
create trigger audit_events_keep_all before truncate on audit_events for each statement
  execute function audit_events_refuse();
