import { Migration } from '@mikro-orm/migrations';

// Objects in the provider's lists that cannot be read, lists whose cursors go in a circle, and what no row here ordered. A type
// keeps a value once it has it: `down` leaves that one there, unused.
export class Migration20261124030000 extends Migration {
  override name = 'Migration20261124030000';

  override up(): void | Promise<void> {
    this.addSql(`create type list_finding_kind as enum ('unreadable', 'cursor_circle');`);
    this.addSql(`create type scanned_list as enum ('payouts', 'transfers', 'movements');`);
    this.addSql(
      `create table list_findings (id uuid not null, kind list_finding_kind not null, list scanned_list not null, account_ref uuid null, provider_ref uuid null, position uuid null, reason text not null, found_at timestamptz(3) not null, resolved_at timestamptz(3) null, resolution text null, primary key (id));`,
    );
    this.addSql(`create index list_findings_open on list_findings (list, id) where resolved_at is null;`);
    this.addSql(`alter type discrepancy_kind add value if not exists 'not_ordered' after 'quote_lifetime';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table list_findings;`);
    this.addSql(`drop type list_finding_kind;`);
    this.addSql(`drop type scanned_list;`);
  }
}
