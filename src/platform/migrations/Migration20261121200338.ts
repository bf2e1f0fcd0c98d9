import { Migration } from '@mikro-orm/migrations';

export class Migration20261121200338 extends Migration {
  override name = 'Migration20261121200338';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "webhook_secrets" ("id" uuid not null, "hash" varchar(64) not null, "status" text not null, "created_at" timestamptz(3) not null, "accepted_until" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "webhook_secrets" add constraint "webhook_secrets_hash_unique" unique ("hash");`,
    );
    this.addSql(
      `alter table "webhook_secrets" add constraint "webhook_secrets_status_check" check ("status" in ('pending', 'current', 'former'));`,
    );

    this.addSql(`alter table "provider_resources" add "callback_secret_id" uuid null;`);

    this.addSql(
      `alter table "audit_events" add "seq" bigint not null default '0', add "previous_hash" varchar(64) not null default '', add "hash" varchar(64) not null default '';`,
    );

    // Whoever writes a row, it is numbered and hashed here, one after the other: the lock is held until the commit. Each
    // field is preceded by its length in bytes, so that no two rows have the same text.
    this.addSql(`
      create function audit_events_chain() returns trigger language plpgsql set search_path = public, pg_temp as $$
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
            to_char(new.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            new.action, new.user_id::text, new.request_id, new.details::text
          ]) with ordinality as line (field, place)
        );
        return new;
      end $$;`);
    this.addSql(`
      create function audit_events_refuse() returns trigger language plpgsql as $$
      begin
        raise exception 'audit_events only ever grows' using errcode = 'restrict_violation';
      end $$;`);
    this.addSql(
      `create trigger audit_events_chain before insert on audit_events for each row execute function audit_events_chain();`,
    );

    // What was recorded before is chained in the order in which it was recorded.
    this.addSql(`create temporary table former_audit_events on commit drop as select * from audit_events;`);
    this.addSql(`delete from audit_events;`);
    this.addSql(`alter table "audit_events" add constraint "audit_events_seq_unique" unique ("seq");`);
    this.addSql(
      `insert into audit_events (id, at, action, user_id, request_id, details) select id, at, action, user_id, request_id, details from former_audit_events order by id;`,
    );
    this.addSql(`create index audit_events_user on audit_events (user_id, seq) where user_id is not null;`);
    this.addSql(
      `create trigger audit_events_keep before update or delete on audit_events for each row execute function audit_events_refuse();`,
    );
    this.addSql(
      `create trigger audit_events_keep_all before truncate on audit_events for each statement execute function audit_events_refuse();`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "webhook_secrets" cascade;`);

    this.addSql(`drop trigger audit_events_keep_all on audit_events;`);
    this.addSql(`drop trigger audit_events_keep on audit_events;`);
    this.addSql(`drop trigger audit_events_chain on audit_events;`);
    this.addSql(`drop function audit_events_refuse();`);
    this.addSql(`drop function audit_events_chain();`);
    this.addSql(`drop index "audit_events_user";`);
    this.addSql(`alter table "audit_events" drop constraint "audit_events_seq_unique";`);
    this.addSql(
      `alter table "audit_events" drop column "seq", drop column "previous_hash", drop column "hash";`,
    );

    this.addSql(`alter table "provider_resources" drop column "callback_secret_id";`);
  }
}
