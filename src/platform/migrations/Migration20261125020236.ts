import { Migration } from '@mikro-orm/migrations';

// The times at which replaceable values were sealed. Each value opens only next to its time, so `down` keeps the columns if one is
// in use.
export class Migration20261125020236 extends Migration {
  override name = 'Migration20261125020236';

  override up(): void | Promise<void> {
    this.addSql(`alter table kyc_verifications add identity_sealed_at timestamptz(3) null;`);
    this.addSql(`alter table provider_accounts add deposit_instructions_sealed_at timestamptz(3) null;`);
    this.addSql(`alter table provider_resources add reason_sealed_at timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`
      do $$ begin
        if exists (select from kyc_verifications where identity_sealed_at is not null)
          or exists (select from provider_accounts where deposit_instructions_sealed_at is not null)
          or exists (select from provider_resources where reason_sealed_at is not null)
        then raise exception 'sealed values open only next to the times that this would drop';
        end if;
      end $$;`);
    this.addSql(`alter table provider_resources drop reason_sealed_at;`);
    this.addSql(`alter table provider_accounts drop deposit_instructions_sealed_at;`);
    this.addSql(`alter table kyc_verifications drop identity_sealed_at;`);
  }
}
