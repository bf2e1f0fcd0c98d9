// The base of a migration that builds one index while others write to its table.
import { Migration } from '@mikro-orm/migrations';

/**
 * Builds an index without blocking writes. PostgreSQL does this only outside a database transaction, so such a migration contains
 * nothing else. A try that is interrupted, for example by the `lock_timeout` while an older transaction is open, leaves an invalid
 * index: the next try drops it first. An index of this name that is valid would be dropped as well, so the name must be new.
 */
export abstract class ConcurrentIndex extends Migration {
  /** The index: its name, and its table with the columns, as after `on` in SQL. */
  abstract readonly index: { name: string; on: string; isUnique?: boolean };

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    const { name, on, isUnique = false } = this.index;
    this.addSql(`drop index concurrently if exists ${name};`);
    this.addSql(`create ${isUnique ? 'unique ' : ''}index concurrently ${name} on ${on};`);
  }

  override down(): void {
    this.addSql(`drop index concurrently if exists ${this.index.name};`);
  }
}
