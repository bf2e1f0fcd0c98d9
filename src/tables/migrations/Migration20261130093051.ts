import { Migration } from '@mikro-orm/migrations';

export class Migration20261130093051 extends Migration {
  override name = 'Migration20261130093051';

  override up(): void | Promise<void> {
    this.addSql(`alter table "payout_refunds" add "quoted_home_minor" bigint null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "payout_refunds" drop column "quoted_home_minor";`);
  }
}
