// Every callback that was stored before has an identity as well.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261126182935 extends Migration {
  override name = 'Migration20261126182935';

  override up(): void {
    this.addSql('alter table webhook_events validate constraint webhook_events_identity_not_null;');
  }

  override down(): void {
    // The constraint stays validated. The migration that added it drops it.
  }
}
