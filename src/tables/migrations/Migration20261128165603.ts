// Adds when a transition was written, by the database's clock. Rows that exist already get no time, so the default comes after the column.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261128165603 extends Migration {
  override name = 'Migration20261128165603';

  override up(): void {
    this.addSql('alter table "transitions" add "recorded_at" timestamptz(3) null;');
    this.addSql('alter table "transitions" alter column "recorded_at" set default now();');
  }

  override down(): void {
    this.addSql('alter table "transitions" drop column "recorded_at";');
  }
}
