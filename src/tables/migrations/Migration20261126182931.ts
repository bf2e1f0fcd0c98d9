// The identity of a callback becomes 32 bytes instead of 64 hexadecimal digits. While version 1.0.0 serves next to this version, it
// writes and compares the digits, and this version the bytes. A trigger derives one from the other.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261126182931 extends Migration {
  override name = 'Migration20261126182931';

  override up(): void {
    this.addSql('alter table webhook_events add column identity bytea null;');
    this.addSql('alter table webhook_events alter column external_id drop not null;');
    this.addSql(`create function webhook_events_identify() returns trigger language plpgsql as $$ begin
        new.identity := coalesce(new.identity, decode(new.external_id, 'hex'));
        new.external_id := coalesce(new.external_id, encode(new.identity, 'hex'));
        return new;
      end $$;`);
    this.addSql(`create trigger webhook_events_identify before insert on webhook_events
      for each row execute function webhook_events_identify();`);
  }

  override down(): void {
    this.addSql('drop trigger webhook_events_identify on webhook_events;');
    this.addSql('drop function webhook_events_identify();');
    this.addSql('alter table webhook_events drop column identity;');
    this.addSql('alter table webhook_events alter column external_id set not null;');
  }
}
