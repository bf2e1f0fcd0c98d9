// The recipients whom users have paid, and which of them a payment went to.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261129155400 extends Migration {
  override name = 'Migration20261129155400';

  override up(): void {
    this.addSql(`create table pix_recipients (
      id uuid not null,
      user_id uuid not null,
      last_payment_id uuid not null,
      named_payment_id uuid null,
      last_paid_at timestamptz(3) not null,
      primary key (id, user_id),
      constraint pix_recipients_user_id_foreign foreign key (user_id) references users (id) on delete restrict
    );`);
    this.addSql('create index pix_recipients_user_page on pix_recipients (user_id, last_paid_at, id);');
    this.addSql('alter table pix_payments add recipient_id uuid null;');
  }

  override down(): void {
    this.addSql('drop table pix_recipients;');
    this.addSql('alter table pix_payments drop column recipient_id;');
  }
}
