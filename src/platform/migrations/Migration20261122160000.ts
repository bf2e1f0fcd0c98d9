import { Migration } from '@mikro-orm/migrations';

const EFFECTS_UNFINISHED = 'create index effects_unfinished on effects (created_at) where status in';

/** `status` without `failed`, which nothing ever wrote. */
const statusCheck = (...statuses: string[]): string =>
  `alter table effects add constraint effects_status_check check (status in (${statuses.map((one) => `'${one}'`).join(', ')}))`;

/** The function is as it was; only the column's name in it is another. */
const chainFunction = (time: string): string => `
  create or replace function audit_events_chain() returns trigger language plpgsql set search_path = public, pg_temp as $$
  declare
    last record;
  begin
    perform pg_advisory_xact_lock(hashtextextended('audit_events', 0));
    select seq, hash into last from audit_events order by seq desc limit 1;
    new.seq := coalesce(last.seq, 0) + 1;
    new.previous_hash := coalesce(last.hash, repeat('0', 64));
    new.hash := (
      select encode(sha256(convert_to(
        string_agg(coalesce(octet_length(convert_to(field, 'UTF8')) || ':' || field, '-'), E'\\n' order by place),
        'UTF8')), 'hex')
      from unnest(array[
        new.seq::text, new.previous_hash, new.id::text,
        to_char(new.${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        new.action, new.user_id::text, new.request_id, new.details::text
      ]) with ordinality as line (field, place)
    );
    return new;
  end $$`;

const columns: [table: string, from: string, to: string][] = [
  ['transitions', 'at', 'occurred_at'],
  ['audit_events', 'at', 'occurred_at'],
  ['discrepancies', 'at', 'occurred_at'],
  ['discrepancies', 'snapshot_at', 'snapshot_updated_at'],
  ['effect_pauses', 'at', 'paused_at'],
  ['effects', 'unknown_at', 'last_unknown_at'],
  ['open_circuits', 'seen_at', 'heartbeat_at'],
  ['provider_accounts', 'movements_after', 'movements_cursor'],
  ['provider_resources', 'checks', 'poll_count'],
  ['provider_resources', 'check_at', 'next_poll_at'],
  ['provider_resources', 'snapshot_at', 'snapshot_updated_at'],
  ['provider_resources', 'debited_at_version', 'debited_balance_version'],
];

// Columns and states are named by the field's terms. Indexes follow the columns that they are on by themselves.
export class Migration20261122160000 extends Migration {
  override name = 'Migration20261122160000';

  override up(): void | Promise<void> {
    for (const [table, from, to] of columns)
      this.addSql(`alter table ${table} rename column ${from} to ${to};`);
    this.addSql(`${chainFunction('occurred_at')};`);
    this.addSql(`alter table effects drop constraint effects_status_check;`);
    this.addSql(`update effects set status = 'queued' where status = 'ordered';`);
    this.addSql(`${statusCheck('queued', 'done', 'superseded', 'exhausted')};`);
    this.addSql(`alter table effects alter column status set default 'queued';`);
    this.addSql(`drop index effects_unfinished;`);
    this.addSql(`${EFFECTS_UNFINISHED} ('queued', 'exhausted');`);
    // Where a run of a nightly job stands, and what it leaves to the next one.
    this.addSql(
      `update job_runs set position = position - 'place' || jsonb_build_object('page', position -> 'place') where jsonb_exists(position, 'place');`,
    );
    this.addSql(
      `update job_runs set counts = counts - 'not looked at' || jsonb_build_object('not checked', counts -> 'not looked at') where jsonb_exists(counts, 'not looked at');`,
    );
    this.addSql(
      `update job_runs set position = position - 'left' || jsonb_build_object('checkpoint', position -> 'left') where jsonb_exists(position, 'left');`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `update job_runs set counts = counts - 'not checked' || jsonb_build_object('not looked at', counts -> 'not checked') where jsonb_exists(counts, 'not checked');`,
    );
    this.addSql(
      `update job_runs set position = position - 'checkpoint' || jsonb_build_object('left', position -> 'checkpoint') where jsonb_exists(position, 'checkpoint');`,
    );
    this.addSql(
      `update job_runs set position = position - 'page' || jsonb_build_object('place', position -> 'page') where jsonb_exists(position, 'page');`,
    );
    this.addSql(`drop index effects_unfinished;`);
    this.addSql(`alter table effects drop constraint effects_status_check;`);
    this.addSql(`update effects set status = 'ordered' where status = 'queued';`);
    this.addSql(`${statusCheck('ordered', 'done', 'failed', 'superseded', 'exhausted')};`);
    this.addSql(`alter table effects alter column status set default 'ordered';`);
    this.addSql(`${EFFECTS_UNFINISHED} ('ordered', 'exhausted');`);
    for (const [table, from, to] of columns)
      this.addSql(`alter table ${table} rename column ${to} to ${from};`);
    this.addSql(`${chainFunction('at')};`);
  }
}
