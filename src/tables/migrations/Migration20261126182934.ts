// Every callback that is stored from now on has an identity, which is unique.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261126182934 extends Migration {
  override name = 'Migration20261126182934';

  override up(): void {
    this.addSql(
      'alter table webhook_events add constraint webhook_events_identity_not_null not null identity not valid;',
    );
    this.addSql(`alter table webhook_events
      add constraint webhook_events_provider_identity_unique unique using index webhook_events_provider_identity_unique;`);
  }

  override down(): void {
    this.addSql('alter table webhook_events drop constraint webhook_events_provider_identity_unique;');
    this.addSql('alter table webhook_events drop constraint webhook_events_identity_not_null;');
  }
}
