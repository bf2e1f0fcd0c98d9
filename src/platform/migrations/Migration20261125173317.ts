import { Migration } from '@mikro-orm/migrations';

// The return of a failed payout's BRL, and settlements made outside the service. Columns without a default are added without
// rewriting the table. A type keeps a value once it has it: `down` leaves those there, unused.
export class Migration20261125173317 extends Migration {
  override name = 'Migration20261125173317';

  override up(): void | Promise<void> {
    this.addSql(`alter type requoted_leg add value if not exists 'return' after 'reverse';`);
    this.addSql(`alter type conversion_leg add value if not exists 'return' after 'reverse';`);
    this.addSql(`alter type failure_code add value if not exists 'recipient_unknown' after 'payout_failed';`);
    this.addSql(`create type settlement_currency as enum ('GBP', 'EUR', 'BRL');`);
    this.addSql(
      `alter table pix_payments add brl_residual_minor bigint null, add return_cap_bps int null, add settlement_amount_minor bigint null, add settlement_currency settlement_currency null, add settlement_reference text null, add settlement_proposed_by text null, add settlement_confirmed_by text null, add settled_at timestamptz(3) null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table pix_payments drop brl_residual_minor, drop return_cap_bps, drop settlement_amount_minor, drop settlement_currency, drop settlement_reference, drop settlement_proposed_by, drop settlement_confirmed_by, drop settled_at;`,
    );
    this.addSql(`drop type settlement_currency;`);
  }
}
