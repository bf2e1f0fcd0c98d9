import { Migration } from '@mikro-orm/migrations';

export class Migration20261122132000 extends Migration {
  override name = 'Migration20261122132000';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "kyc_verifications" add constraint "kyc_verifications_user_id_unique" unique ("user_id");`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "kyc_verifications" drop constraint "kyc_verifications_user_id_unique";`);
  }
}
