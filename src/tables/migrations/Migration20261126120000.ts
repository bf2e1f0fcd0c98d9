// The baseline: creates the schema with which version 1.0.0 begins, in an empty database. Each file of `baseline/` has a table with its
// types, functions, indexes and triggers. A constraint `not null` has a name if PostgreSQL named it before its column or table was renamed.
// Every later migration follows this one. It cannot be reverted.
import { readFileSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';

/** The files, each after those that it needs. */
const FILES = [
  'shared-types',
  'audit_events',
  'users',
  'bank_details',
  'conversion_quotes',
  'data_keys',
  'data_requests',
  'discrepancies',
  'effect_pauses',
  'effects',
  'idempotency_keys',
  'identity_users',
  'job_runs',
  'kyc_verifications',
  'list_findings',
  'open_circuits',
  'pix_quotes',
  'transactions',
  'pix_payments',
  'processes',
  'provider_accounts',
  'provider_cursors',
  'provider_object_users',
  'provider_resources',
  'schema_floor',
  'transitions',
  'webhook_events',
  'webhook_payloads',
  'webhook_secrets',
  'withdraws',
];

export class Migration20261126120000 extends Migration {
  override name = 'Migration20261126120000';

  override up(): void {
    for (const file of FILES)
      this.addSql(readFileSync(new URL(`baseline/${file}.sql`, import.meta.url), 'utf8'));
  }
}
