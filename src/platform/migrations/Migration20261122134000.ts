import { Migration } from '@mikro-orm/migrations';

export class Migration20261122134000 extends Migration {
  override name = 'Migration20261122134000';

  override up(): void | Promise<void> {
    this.addSql(`alter table transactions add source_reference_sealed bytea null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table transactions drop source_reference_sealed;`);
  }
}
