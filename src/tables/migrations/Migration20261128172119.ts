// A return keeps which movement credited its payout, and the two operators who named it.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261128172119 extends Migration {
  override name = 'Migration20261128172119';

  override up(): void {
    this.addSql(`alter table pix_payments add return_credit_ref uuid null, add return_credit_proposed_by text null,
      add return_credit_confirmed_by text null;`);
  }

  override down(): void {
    this.addSql(`alter table pix_payments drop column return_credit_ref, drop column return_credit_proposed_by,
      drop column return_credit_confirmed_by;`);
  }
}
