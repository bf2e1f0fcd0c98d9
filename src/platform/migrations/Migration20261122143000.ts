import { Migration } from '@mikro-orm/migrations';

// Operators find what a request did, and a payment by its voucher.
export class Migration20261122143000 extends Migration {
  override name = 'Migration20261122143000';

  override up(): void | Promise<void> {
    this.addSql(
      `create index pix_payments_voucher_id on pix_payments (voucher_id) where voucher_id is not null;`,
    );
    this.addSql(`create index transitions_request on transitions (cause_id) where cause_kind = 'request';`);
    this.addSql(
      `create index audit_events_request on audit_events (request_id) where request_id is not null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index audit_events_request;`);
    this.addSql(`drop index transitions_request;`);
    this.addSql(`drop index pix_payments_voucher_id;`);
  }
}
