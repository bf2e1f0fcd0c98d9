// Look-ups of recipients, and the budget of tokens that they cost.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261129074131 extends Migration {
  override name = 'Migration20261129074131';

  override up(): void {
    this.addSql(`create table pix_lookups (
      id uuid not null,
      user_id uuid not null,
      provider_lookup_id uuid not null,
      pix_key_type pix_key_type not null,
      pix_key_sealed bytea not null,
      recipient_name_sealed bytea not null,
      recipient_tax_id_sealed bytea not null,
      institution text not null,
      used_at timestamptz(3) null,
      token_returned_at timestamptz(3) null,
      expires_at timestamptz(3) not null,
      created_at timestamptz(3) not null,
      primary key (id, user_id),
      constraint pix_lookups_user_id_foreign foreign key (user_id) references users (id) on delete restrict
    );`);
    this.addSql('create index pix_lookups_user_id_index on pix_lookups (user_id);');
    this.addSql('create index pix_lookups_unused on pix_lookups (created_at) where used_at is null;');
    this.addSql(`create table name_budgets (
      user_id uuid not null,
      full_at timestamptz(3) not null,
      recorded_at timestamptz(3) null,
      primary key (user_id),
      constraint name_budgets_user_id_foreign foreign key (user_id) references users (id) on delete restrict
    );`);
    this.addSql('alter table pix_payments add lookup_id uuid null;');
  }

  override down(): void {
    this.addSql('drop table pix_lookups;');
    this.addSql('drop table name_budgets;');
    this.addSql('alter table pix_payments drop column lookup_id;');
  }
}
