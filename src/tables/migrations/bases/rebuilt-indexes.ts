// The base of a migration that changes the conditions of indexes while others write to their tables.
import { Migration } from '@mikro-orm/migrations';

/**
 * Rebuilds indexes under their names without blocking writes. The former index serves until the new one is built. PostgreSQL does
 * this only outside a database transaction, so such a migration contains nothing else. A try that is interrupted is repeated whole:
 * each statement finds what an interrupted one left.
 */
export abstract class RebuiltIndexes extends Migration {
  /** The indexes: their names, and their tables with the columns, as after `on` in SQL, in this version and in the former one. */
  abstract readonly indexes: readonly { name: string; on: string; formerlyOn: string }[];

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const { name, on } of this.indexes) this.#rebuild(name, on);
  }

  override down(): void {
    for (const { name, formerlyOn } of this.indexes) this.#rebuild(name, formerlyOn);
  }

  #rebuild(name: string, on: string): void {
    this.addSql(`drop index concurrently if exists ${name}_next;`);
    this.addSql(`create index concurrently ${name}_next on ${on};`);
    this.addSql(`drop index concurrently if exists ${name};`);
    this.addSql(`alter index ${name}_next rename to ${name};`);
  }
}
