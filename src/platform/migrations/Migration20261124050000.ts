import { Migration } from '@mikro-orm/migrations';

// Unused quotes and old idempotency keys are deleted by their times.
export class Migration20261124050000 extends Migration {
  override name = 'Migration20261124050000';

  override up(): void | Promise<void> {
    this.addSql(`create index idempotency_keys_created_at on idempotency_keys (created_at);`);
    this.addSql(`create index pix_quotes_expires_at on pix_quotes (expires_at);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index idempotency_keys_created_at;`);
    this.addSql(`drop index pix_quotes_expires_at;`);
  }
}
