// Hashes by which operators find an e-mail address, an account number or a paid key.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261129220543 extends Migration {
  override name = 'Migration20261129220543';

  override up(): void {
    this.addSql('alter table users add email_hash bytea null;');
    this.addSql('alter table provider_accounts add deposit_hash bytea null;');
    this.addSql('alter table pix_payments add pix_key_hash bytea null;');
  }

  override down(): void {
    this.addSql('alter table pix_payments drop column pix_key_hash;');
    this.addSql('alter table provider_accounts drop column deposit_hash;');
    this.addSql('alter table users drop column email_hash;');
  }
}
