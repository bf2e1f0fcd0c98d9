// Checks of the name on a bank account before a withdrawal.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261129220625 extends Migration {
  override name = 'Migration20261129220625';

  override up(): void {
    this.addSql(`create table name_checks (
      id uuid not null,
      user_id uuid not null,
      bank_details_id uuid not null,
      bank_details_version int not null,
      validation_status bank_validation_status not null,
      suggested_name_sealed bytea null,
      expires_at timestamptz(3) not null,
      created_at timestamptz(3) not null,
      primary key (id, user_id),
      constraint name_checks_user_id_foreign foreign key (user_id) references users (id) on delete restrict
    );`);
    this.addSql('create index name_checks_of_details on name_checks (user_id, bank_details_id, created_at);');
    this.addSql('create index name_checks_created on name_checks (created_at);');
    this.addSql("alter type bank_validation_status add value if not exists 'not_possible' after 'no_match';");
    this.addSql('alter table withdraws add name_check bank_validation_status null;');
  }

  /** A value of a type cannot be removed. The former version does not write it. */
  override down(): void {
    this.addSql('drop table name_checks;');
    this.addSql('alter table withdraws drop column name_check;');
  }
}
