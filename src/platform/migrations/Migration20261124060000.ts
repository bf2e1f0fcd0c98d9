import { Migration } from '@mikro-orm/migrations';

/** Numbers, dates and hashes a new row. `recordedAt` is the last field of the hash, or nothing. */
const chainFunction = (setRecordedAt: string, recordedAt: string): string => `
  create or replace function audit_events_chain() returns trigger language plpgsql set search_path = public, pg_temp as $$
  declare
    last record;
  begin
    perform pg_advisory_xact_lock(hashtextextended('audit_events', 0));
    select seq, hash into last from audit_events order by seq desc limit 1;
    new.seq := coalesce(last.seq, 0) + 1;
    new.previous_hash := coalesce(last.hash, repeat('0', 64));${setRecordedAt}
    new.hash := (
      select encode(sha256(convert_to(
        string_agg(coalesce(octet_length(convert_to(field, 'UTF8')) || ':' || field, '-'), E'\\n' order by place),
        'UTF8')), 'hex')
      from unnest(array[
        new.seq::text, new.previous_hash, new.id::text,
        to_char(new.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        new.action, new.user_id::text, new.request_id, new.details::text${recordedAt}
      ]) with ordinality as line (field, place)
    );
    return new;
  end $$`;

// The database's clock dates each row of the audit record, inside the hash. Older rows have no such time.
export class Migration20261124060000 extends Migration {
  override name = 'Migration20261124060000';

  override up(): void | Promise<void> {
    this.addSql(`alter table audit_events add recorded_at timestamptz(3) null;`);
    this.addSql(
      `${chainFunction(
        `
    new.recorded_at := date_trunc('milliseconds', clock_timestamp());`,
        `,
        to_char(new.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
      )};`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`${chainFunction('', '')};`);
    this.addSql(`alter table audit_events drop recorded_at;`);
  }
}
