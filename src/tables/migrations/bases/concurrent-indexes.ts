// The base of a migration that builds indexes while others write to their tables.
import { Migration } from '@mikro-orm/migrations';

/**
 * Builds indexes without blocking writes. PostgreSQL does this only outside a database transaction, so such a migration contains
 * nothing else. A try that is interrupted, for example by the `lock_timeout` while an older transaction is open, leaves an invalid
 * index: the next try drops each index first and builds it again. An index of this name that is valid would be dropped as well, so the
 * names must be new.
 */
export abstract class ConcurrentIndexes extends Migration {
  /** Each index: its name, and its table with the columns, as after `on` in SQL. */
  abstract readonly indexes: { name: string; on: string; isUnique?: boolean }[];

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const { name, on, isUnique = false } of this.indexes) {
      this.addSql(`drop index concurrently if exists ${name};`);
      this.addSql(`create ${isUnique ? 'unique ' : ''}index concurrently ${name} on ${on};`);
    }
  }

  override down(): void {
    for (const { name } of this.indexes) this.addSql(`drop index concurrently if exists ${name};`);
  }
}
