import { Migration } from '@mikro-orm/migrations';

// Payments that wait for a person show what they hold: the exact home debit. Former versions recorded the debit of a direct
// conversion in the history alone. Only the few waiting rows are filled; a payment that starts to wait later is not among them.
export class Migration20261125173400 extends Migration {
  override name = 'Migration20261125173400';

  override up(): void | Promise<void> {
    this.addSql(`
      update pix_payments as payment set home_debit_minor = (taken.event_data ->> 'sourceAmountMinor')::bigint
      from transitions as taken
      where payment.state in ('payout_failed', 'manual_review') and payment.flow = 'direct'
        and payment.home_debit_minor is null
        and taken.subject_kind = 'pix_payment' and taken.subject_id = payment.id and taken.user_id = payment.user_id
        and taken.event = 'direct.completed' and taken.event_data ->> 'sourceAmountMinor' is not null;`);
  }

  override down(): void | Promise<void> {
    // The debit is true in either version, so it stays.
  }
}
