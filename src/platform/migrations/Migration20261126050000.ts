import { Migration } from '@mikro-orm/migrations';

// The trace context of queued work, and of the transfers and payouts that callbacks are about. A former version leaves it null, and its
// work begins traces of its own.
export class Migration20261126050000 extends Migration {
  override name = 'Migration20261126050000';

  override up(): void | Promise<void> {
    this.addSql(`alter table effects add traceparent varchar(55) null;`);
    this.addSql(`alter table provider_resources add traceparent varchar(55) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table effects drop traceparent;`);
    this.addSql(`alter table provider_resources drop traceparent;`);
  }
}
