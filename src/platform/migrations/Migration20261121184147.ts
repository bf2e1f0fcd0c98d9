import { Migration } from '@mikro-orm/migrations';

export class Migration20261121184147 extends Migration {
  override name = 'Migration20261121184147';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "contradictions" ("id" uuid not null, "user_id" uuid not null, "subject_kind" text not null, "subject_id" uuid not null, "handle" uuid not null, "event" varchar(60) not null, "event_data" jsonb not null, "state" varchar(40) not null, "snapshot_at" timestamptz(3) not null, "cause_kind" text not null, "cause_id" text not null, "at" timestamptz(3) not null, "resolved_at" timestamptz(3) null, "resolution" text null, primary key ("id"));`,
    );
    this.addSql(`create index "contradictions_subject_id_index" on "contradictions" ("subject_id");`);
    this.addSql(`create index contradictions_open on contradictions (at) where resolved_at is null;`);
    this.addSql(
      `alter table "contradictions" add constraint "contradictions_handle_snapshot_at_unique" unique ("handle", "snapshot_at");`,
    );

    this.addSql(
      `create table "effect_pauses" ("type" varchar(40) not null, "reason" text not null, "operator" text not null, "at" timestamptz(3) not null, primary key ("type"));`,
    );

    this.addSql(
      `create table "job_runs" ("job" varchar(60) not null, "run" varchar(60) not null, "position" jsonb not null, "counts" jsonb not null, "started_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "finished_at" timestamptz(3) null, primary key ("job", "run"));`,
    );

    this.addSql(
      `create table "open_circuits" ("process" varchar(120) not null, "opened_at" timestamptz(3) not null, "seen_at" timestamptz(3) not null, "reason" text not null, primary key ("process"));`,
    );

    this.addSql(
      `create table "provider_cursors" ("list" text not null, "after" uuid null, "updated_at" timestamptz(3) not null, primary key ("list"));`,
    );

    this.addSql(
      `create index effects_unfinished on effects (created_at) where status in ('ordered', 'exhausted');`,
    );

    this.addSql(`alter table "provider_accounts" add "movements_after" uuid null;`);
    this.addSql(
      `create index provider_accounts_unfinished on provider_accounts (id) where state <> 'active';`,
    );

    this.addSql(
      `create index pix_payments_unfinished on pix_payments (id) where state not in ('completed', 'failed', 'refunded', 'conversion_failed');`,
    );

    this.addSql(
      `create index kyc_verifications_unfinished on kyc_verifications (id) where state <> 'completed';`,
    );

    this.addSql(
      `create index webhook_events_open on webhook_events (received_at) where status in ('received', 'unmatched');`,
    );
    this.addSql(
      `create index webhook_events_transaction on webhook_events (transaction_id) where transaction_id is not null;`,
    );

    this.addSql(`create index withdraws_unfinished on withdraws (id) where state = 'settling';`);

    this.addSql(
      `alter table "contradictions" add constraint "contradictions_subject_kind_check" check ("subject_kind" in ('kyc', 'provider_account', 'pix_payment', 'withdraw'));`,
    );
    this.addSql(
      `alter table "contradictions" add constraint "contradictions_cause_kind_check" check ("cause_kind" in ('request', 'webhook', 'job', 'operator'));`,
    );

    this.addSql(
      `alter table "provider_cursors" add constraint "provider_cursors_list_check" check ("list" in ('payouts', 'transfers'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "contradictions" cascade;`);
    this.addSql(`drop table if exists "effect_pauses" cascade;`);
    this.addSql(`drop table if exists "job_runs" cascade;`);
    this.addSql(`drop table if exists "open_circuits" cascade;`);
    this.addSql(`drop table if exists "provider_cursors" cascade;`);

    this.addSql(`drop index "effects_unfinished";`);

    this.addSql(`drop index "kyc_verifications_unfinished";`);

    this.addSql(`drop index "pix_payments_unfinished";`);

    this.addSql(`drop index "provider_accounts_unfinished";`);
    this.addSql(`alter table "provider_accounts" drop column "movements_after";`);

    this.addSql(`drop index "webhook_events_open";`);
    this.addSql(`drop index "webhook_events_transaction";`);

    this.addSql(`drop index "withdraws_unfinished";`);
  }
}
