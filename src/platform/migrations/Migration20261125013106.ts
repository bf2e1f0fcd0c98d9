import { Migration } from '@mikro-orm/migrations';

// Operators see work that has failed five times in a row: polls and nightly runs count their failures, and small indexes find such work.
export class Migration20261125013106 extends Migration {
  override name = 'Migration20261125013106';

  override up(): void | Promise<void> {
    this.addSql(`create index effects_failing on effects (id) where due_at is not null and attempts >= 5;`);

    this.addSql(`alter table "job_runs" add "failures" int not null default 0;`);

    this.addSql(`alter table "provider_resources" add "poll_failures" int not null default 0;`);
    this.addSql(
      `create index provider_resources_failing on provider_resources (handle) where next_poll_at is not null and poll_failures >= 5;`,
    );

    this.addSql(
      `create index webhook_events_failing on webhook_events (id) where due_at is not null and attempts >= 5;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "effects_failing";`);

    this.addSql(`alter table "job_runs" drop column "failures";`);

    this.addSql(`drop index "provider_resources_failing";`);
    this.addSql(`alter table "provider_resources" drop column "poll_failures";`);

    this.addSql(`drop index "webhook_events_failing";`);
  }
}
