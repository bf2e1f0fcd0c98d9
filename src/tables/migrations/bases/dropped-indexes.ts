// The base of a migration that drops indexes while others write to their tables.
import { Migration } from '@mikro-orm/migrations';

/**
 * Drops indexes without blocking statements. PostgreSQL does this only outside a database transaction, so such a migration contains
 * nothing else. A try that is interrupted is repeated whole.
 */
export abstract class DroppedIndexes extends Migration {
  /** The indexes: their names, and their tables with the columns, as after `on` in SQL. */
  abstract readonly indexes: readonly { name: string; on: string }[];

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const { name } of this.indexes) this.addSql(`drop index concurrently if exists ${name};`);
  }

  override down(): void {
    for (const { name, on } of this.indexes) {
      this.addSql(`drop index concurrently if exists ${name};`);
      this.addSql(`create index concurrently ${name} on ${on};`);
    }
  }
}
