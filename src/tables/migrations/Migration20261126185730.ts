// Drops the hexadecimal digits of a callback's identity. Version 1.1.0 and later ones use only its bytes.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261126185730 extends Migration {
  override name = 'Migration20261126185730';

  override up(): void {
    this.addSql(`insert into schema_floor (version) values ('1.1.0');`);
    this.addSql('drop trigger webhook_events_identify on webhook_events;');
    this.addSql('drop function webhook_events_identify();');
    this.addSql('alter table webhook_events drop constraint webhook_events_provider_external_id_unique;');
    this.addSql('alter table webhook_events drop column external_id;');
  }

  override down(): void {
    this.addSql('alter table webhook_events add column external_id varchar(64) null;');
    this.addSql(`update webhook_events set external_id = encode(identity, 'hex');`);
    this.addSql(`alter table webhook_events
      add constraint webhook_events_provider_external_id_unique unique (provider, external_id);`);
    this.addSql(`create function webhook_events_identify() returns trigger language plpgsql as $$ begin
        new.identity := coalesce(new.identity, decode(new.external_id, 'hex'));
        new.external_id := coalesce(new.external_id, encode(new.identity, 'hex'));
        return new;
      end $$;`);
    this.addSql(`create trigger webhook_events_identify before insert on webhook_events
      for each row execute function webhook_events_identify();`);
    this.addSql(`delete from schema_floor where version = '1.1.0';`);
  }
}
