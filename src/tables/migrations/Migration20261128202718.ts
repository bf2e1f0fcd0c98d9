// Adds what the provider holds up in a process, so that no process takes such a wait for an overload.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261128202718 extends Migration {
  override name = 'Migration20261128202718';

  override up(): void | Promise<void> {
    this.addSql(`alter table "processes" add "held_up" text[] not null default '{}';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "processes" drop column "held_up";`);
  }
}
