// Fills the pages of the tables of work. Every update of such a row changes a column of an index, so its new version needs entries in all
// indexes wherever it is. The fifth of each page that `fillfactor` kept free never served its purpose.
import { Migration } from '@mikro-orm/migrations';

const TABLES = ['effects', 'provider_resources', 'webhook_events'];

export class Migration20261130031500 extends Migration {
  override name = 'Migration20261130031500';

  override up(): void {
    for (const table of TABLES) this.addSql(`alter table ${table} reset (fillfactor);`);
  }

  override down(): void {
    for (const table of TABLES) this.addSql(`alter table ${table} set (fillfactor = 80);`);
  }
}
