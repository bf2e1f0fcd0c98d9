import { Migration } from '@mikro-orm/migrations';

export class Migration20261121195514 extends Migration {
  override name = 'Migration20261121195514';

  override up(): void | Promise<void> {
    this.addSql(`create index "data_keys_master_key" on "data_keys" ("master_key_id", "scope");`);

    this.addSql(
      `create index users_due_for_deletion on users (hard_deletion_due_at) where hard_deletion_due_at is not null;`,
    );

    this.addSql(`create index data_requests_open on data_requests (due_at) where status = 'open';`);

    this.addSql(
      `create index webhook_events_processed on webhook_events (processed_at) where processed_at is not null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "data_keys_master_key";`);

    this.addSql(`drop index "data_requests_open";`);

    this.addSql(`drop index "users_due_for_deletion";`);

    this.addSql(`drop index "webhook_events_processed";`);
  }
}
