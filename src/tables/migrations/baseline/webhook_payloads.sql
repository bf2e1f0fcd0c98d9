-- The payload of a processed callback, in the table of the day on which it was received. A hundred tables take turns: the table of a
-- day is used again a hundred days later, and retention empties it before. So the schema never changes, and every day has a table.

create table webhook_payloads (
  received_at timestamptz(3) not null,
  event_id uuid not null,
  slot int not null,
  payload_sealed bytea not null,
  constraint webhook_payloads_pkey primary key (received_at, event_id, slot)
) partition by list (slot);

do $$ begin
  for number in 0..99 loop
    execute format('create table webhook_payloads_%s partition of webhook_payloads for values in (%s)', lpad(number::text, 2, '0'), number);
  end loop;
end $$;
