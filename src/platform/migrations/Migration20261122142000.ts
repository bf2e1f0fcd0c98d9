import { Migration } from '@mikro-orm/migrations';

export class Migration20261122142000 extends Migration {
  override name = 'Migration20261122142000';

  override up(): void | Promise<void> {
    // A withdrawal converts nothing, so it has no amount in another currency.
    this.addSql(
      `update transactions set dest_currency = null, dest_amount_minor = null where type = 'withdraw';`,
    );
    this.addSql(
      `alter table transactions add constraint transactions_dest_check check ((dest_currency is null) = (dest_amount_minor is null) and (type = 'payment' or dest_currency is null));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table transactions drop constraint transactions_dest_check;`);
    this.addSql(
      `update transactions set dest_currency = source_currency, dest_amount_minor = source_amount_minor where type = 'withdraw';`,
    );
  }
}
