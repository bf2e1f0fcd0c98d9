import { Migration } from '@mikro-orm/migrations';

export class Migration20261122133000 extends Migration {
  override name = 'Migration20261122133000';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table effects add held_refusal varchar(60) null, add paused_ms bigint not null default 0;`,
    );

    this.addSql(`alter table pix_quotes add provider_life_ms bigint not null default 60000;`);

    // What was written as a moment becomes what it was meant as: a life that began when the quote was received.
    this.addSql(
      `alter table conversion_quotes add life_ms bigint, add is_consumed boolean not null default false;`,
    );
    this.addSql(
      `update conversion_quotes set life_ms = greatest(0, 1000 * extract(epoch from expires_at - created_at));`,
    );
    this.addSql(`alter table conversion_quotes alter life_ms set not null, drop expires_at;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table conversion_quotes add expires_at timestamptz(3);`);
    this.addSql(
      `update conversion_quotes set expires_at = created_at + make_interval(secs => life_ms / 1000.0);`,
    );
    this.addSql(
      `alter table conversion_quotes alter expires_at set not null, drop life_ms, drop is_consumed;`,
    );
    this.addSql(`alter table pix_quotes drop provider_life_ms;`);
    this.addSql(`alter table effects drop held_refusal, drop paused_ms;`);
  }
}
