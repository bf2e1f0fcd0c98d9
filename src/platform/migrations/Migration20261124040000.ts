import { Migration } from '@mikro-orm/migrations';

// The oldest version that may serve. A migration that older versions cannot work with adds a row, and the highest version counts.
// The first row is the version that this table came with.
export class Migration20261124040000 extends Migration {
  override name = 'Migration20261124040000';

  override up(): void | Promise<void> {
    this.addSql(
      `create table schema_floor (version text primary key check (version ~ '^[0-9]+[.][0-9]+[.][0-9]+$'));`,
    );
    this.addSql(`insert into schema_floor (version) values ('0.2.0');`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table schema_floor;`);
  }
}
