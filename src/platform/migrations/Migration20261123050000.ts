import { Migration } from '@mikro-orm/migrations';

// A conversion whose quote is running down goes before other work. What is queued already has no such time, and comes in its turn.
export class Migration20261123050000 extends Migration {
  override name = 'Migration20261123050000';

  override up(): void | Promise<void> {
    this.addSql(`alter table effects add urgent_until timestamptz(3) null;`);
    this.addSql(
      `create index effects_urgent on effects (urgent_until) where due_at is not null and urgent_until is not null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index effects_urgent;`);
    this.addSql(`alter table effects drop urgent_until;`);
  }
}
