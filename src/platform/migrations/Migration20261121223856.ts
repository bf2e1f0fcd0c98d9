import { Migration } from '@mikro-orm/migrations';

export class Migration20261121223856 extends Migration {
  override name = 'Migration20261121223856';

  override up(): void | Promise<void> {
    this.addSql(
      `create index pix_payments_end_to_end_id on pix_payments (end_to_end_id) where end_to_end_id is not null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "pix_payments_end_to_end_id";`);
  }
}
