// Why a payout failed, and from when a retry helps.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261129155500 extends Migration {
  override name = 'Migration20261129155500';

  override up(): void | Promise<void> {
    this.addSql(
      `create type "payout_failure_code" as enum ('recipient_unknown', 'limit_reached', 'account_blocked', 'name_mismatch', 'recipient_bank_unavailable', 'code_expired', 'other');`,
    );
    this.addSql(`create type "payout_limit" as enum ('per_payment', 'day', 'night');`);
    this.addSql(
      `alter table "pix_payments" add "payout_failure_code" "payout_failure_code" null, add "payout_failure_limit" "payout_limit" null, add "payout_retry_from" timestamptz(3) null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "pix_payments" drop column "payout_failure_code", drop column "payout_failure_limit", drop column "payout_retry_from";`,
    );

    this.addSql(`drop type "payout_failure_code";`);
    this.addSql(`drop type "payout_limit";`);
  }
}
