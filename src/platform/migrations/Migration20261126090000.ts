import { Migration } from '@mikro-orm/migrations';

// Up to which time the provider's lists are handed to slices, and where the scan of single accounts continues. A former version reads
// neither. The name of a slice of accounts has two uuids, so `job_runs.run` is longer. `down` keeps that, and the values of the type.
export class Migration20261126090000 extends Migration {
  override name = 'Migration20261126090000';

  override up(): void | Promise<void> {
    this.addSql(`alter type provider_list add value if not exists 'movements';`);
    this.addSql(`alter type provider_list add value if not exists 'accounts';`);
    this.addSql(`alter table provider_cursors add planned_to timestamptz(3) null;`);
    this.addSql(`alter table job_runs alter run type varchar(120);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table provider_cursors drop planned_to;`);
  }
}
