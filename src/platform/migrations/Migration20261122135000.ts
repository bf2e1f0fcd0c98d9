import { Migration } from '@mikro-orm/migrations';

export class Migration20261122135000 extends Migration {
  override name = 'Migration20261122135000';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table provider_resources add snapshot_status text null, add snapshot_attempt int null,
         add snapshot_content text null, add announced_at timestamptz(3) null,
         add constraint provider_resources_snapshot_status_check check (snapshot_status in ('pending', 'provisioning', 'active', 'completed', 'failed', 'refunded'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table provider_resources drop constraint provider_resources_snapshot_status_check,
         drop snapshot_status, drop snapshot_attempt, drop snapshot_content, drop announced_at;`,
    );
  }
}
