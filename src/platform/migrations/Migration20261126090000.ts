import { Migration } from '@mikro-orm/migrations';

// Up to which time the provider's lists are handed to slices, and where the scan of single accounts continues. A former version reads
// neither. The type keeps its values: `down` leaves them there, unused.
export class Migration20261126090000 extends Migration {
  override name = 'Migration20261126090000';

  override up(): void | Promise<void> {
    this.addSql(`alter type provider_list add value if not exists 'movements';`);
    this.addSql(`alter type provider_list add value if not exists 'accounts';`);
    this.addSql(`alter table provider_cursors add planned_to timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table provider_cursors drop planned_to;`);
  }
}
