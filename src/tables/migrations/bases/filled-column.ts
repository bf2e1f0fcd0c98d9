// The base of a migration that fills a new column of existing rows while others write to their table.
import { Migration } from '@mikro-orm/migrations';

/** The number of rows that one database transaction changes. */
const PAGE = 5_000;

/**
 * Fills a column of all rows, in the order of their ids. Each page is a database transaction of its own, so a row is locked only
 * for a moment. PostgreSQL allows this only outside a database transaction, so such a migration contains nothing else. A try that is
 * interrupted is repeated whole and passes over the rows that have a value.
 */
export abstract class FilledColumn extends Migration {
  /** The column, its table, and its value in SQL. The key of the table is a uuid `id`. */
  abstract readonly filled: { table: string; column: string; value: string };

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    const { table, column, value } = this.filled;
    this.addSql(`do $$
      declare
        last uuid := '00000000-0000-0000-0000-000000000000';
        page uuid[];
      begin
        loop
          page := array(select id from ${table} where id > last order by id limit ${PAGE});
          exit when cardinality(page) = 0;
          update ${table} set ${column} = ${value} where id = any(page) and ${column} is null;
          last := page[cardinality(page)];
          commit;
        end loop;
      end $$;`);
  }

  override down(): void {
    // The migration that added the column drops it.
  }
}
