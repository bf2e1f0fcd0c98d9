import { Migration } from '@mikro-orm/migrations';

const SLOTS = Array.from({ length: 100 }, (_, slot) => slot);

// The payloads of processed callbacks, in a table for each day. Former versions do not know the tables: they keep the payload of a
// callback that they process in `webhook_events`. `down` moves the payloads back to where those versions look for them.
export class Migration20261126115400 extends Migration {
  override name = 'Migration20261126115400';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "webhook_payloads" ("received_at" timestamptz(3) not null, "event_id" uuid not null, "slot" int not null, "payload_sealed" bytea not null, primary key ("received_at", "event_id", "slot")) partition by list ("slot");`,
    );
    for (const slot of SLOTS)
      this.addSql(
        `create table "webhook_payloads_${String(slot).padStart(2, '0')}" partition of "webhook_payloads" for values in (${slot});`,
      );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `update webhook_events set payload_sealed = payload.payload_sealed from webhook_payloads payload where payload.event_id = webhook_events.id;`,
    );
    this.addSql(`drop table "webhook_payloads";`);
  }
}
