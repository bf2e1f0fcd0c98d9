// The histories of the database, which show that it was restored or promoted.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261129152416 extends Migration {
  override name = 'Migration20261129152416';

  override up(): void {
    this.addSql(`create table database_histories (
      id uuid not null,
      server varchar(60) not null,
      listed_from timestamptz(3) not null,
      began_at timestamptz(3) not null,
      compared_at timestamptz(3) null,
      ended_at timestamptz(3) null,
      primary key (id)
    );`);
  }

  override down(): void {
    this.addSql('drop table database_histories;');
  }
}
