import { Migration } from '@mikro-orm/migrations';

// The attempts of a verification and the reason of its failure. The default is a constant, so adding the column rewrites no row, and a
// former version that inserts a verification counts its first attempt.
export class Migration20261126010000 extends Migration {
  override name = 'Migration20261126010000';

  override up(): void | Promise<void> {
    this.addSql(
      `create type kyc_failure_code as enum ('document_unreadable', 'document_expired', 'name_mismatch', 'not_eligible', 'other');`,
    );
    this.addSql(
      `alter table kyc_verifications add attempt int not null default 1, add failure_code kyc_failure_code null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table kyc_verifications drop attempt, drop failure_code;`);
    this.addSql(`drop type kyc_failure_code;`);
  }
}
