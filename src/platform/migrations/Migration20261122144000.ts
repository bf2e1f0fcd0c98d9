import { Migration } from '@mikro-orm/migrations';

// What the first of two conversions delivers is held against what was quoted.
export class Migration20261122144000 extends Migration {
  override name = 'Migration20261122144000';

  override up(): void | Promise<void> {
    this.addSql(`alter table pix_quotes add usdc_quoted_minor bigint null;`);
    this.addSql(`alter table pix_payments add usdc_quoted_minor bigint null;`);
    this.addSql(
      `alter table discrepancies drop constraint discrepancies_kind_check,
         add constraint discrepancies_kind_check check (kind in ('contradicted_state', 'not_as_ordered', 'debit_differs', 'delivery_differs', 'twin', 'vanished', 'clock_stepped_back', 'quote_lifetime'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`update discrepancies set kind = 'debit_differs' where kind = 'delivery_differs';`);
    this.addSql(
      `alter table discrepancies drop constraint discrepancies_kind_check,
         add constraint discrepancies_kind_check check (kind in ('contradicted_state', 'not_as_ordered', 'debit_differs', 'twin', 'vanished', 'clock_stepped_back', 'quote_lifetime'));`,
    );
    this.addSql(`alter table pix_payments drop usdc_quoted_minor;`);
    this.addSql(`alter table pix_quotes drop usdc_quoted_minor;`);
  }
}
