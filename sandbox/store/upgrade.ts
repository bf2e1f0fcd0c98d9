// Upgrades stores of former versions. One version had unique handles, which SQLite cannot drop: its tables are created again and
// filled. Later versions have more columns. One version had other names for the configuration and the counters of fault injection.
import type { DatabaseSync } from 'node:sqlite';

const TABLES = ['owners', 'accounts', 'transfers', 'payouts'];

/**
 * Renames the table and the setting of a former version. It runs before the schema is created, or the schema would create the table
 * a second time, empty.
 */
export function renameFaultCounts(database: DatabaseSync): void {
  const isThere = database.prepare(`select 1 from sqlite_master where type = 'table' and name = ?`);
  if (isThere.get('weather_tally') === undefined) return;
  database.exec(`alter table weather_tally rename to fault_counts;
    update settings set name = 'fault-injection' where name = 'weather';`);
}

const LATER_COLUMNS: [table: string, column: string, definition: string][] = [
  ['payouts', 'failure_code', 'text'],
  ['owners', 'attempt', 'integer not null default 1'],
  ['owners', 'failure_code', 'text'],
  ['movements', 'named_as', 'text'],
];

/** Adds the columns of later versions. It runs after the schema is created. */
export function addColumns(database: DatabaseSync): void {
  for (const [table, column, definition] of LATER_COLUMNS) {
    const columns = database.prepare(`select name from pragma_table_info('${table}')`).all();
    if (!columns.some(({ name }) => name === column))
      database.exec(`alter table ${table} add column ${column} ${definition}`);
  }
}

/** Creates the schema and copies the rows of a former version into it, in one transaction. */
export function withoutUniqueHandles(database: DatabaseSync, makeSchema: () => void): void {
  const definition = database.prepare(`select sql from sqlite_master where type = 'table' and name = ?`);
  const former = TABLES.filter((table) =>
    /(origin_id|external_id) text not null unique/.test(String(definition.get(table)?.['sql'])),
  );
  database.exec('begin');
  for (const table of former) database.exec(`alter table ${table} rename to former_${table}`);
  makeSchema();
  for (const table of former) {
    const columns = database.prepare(`select name from pragma_table_info('former_${table}')`).all();
    const names = columns.map(({ name }) => String(name)).join(', ');
    database.exec(`insert into ${table} (${names}) select ${names} from former_${table} order by seq`);
    database.exec(`drop table former_${table}`);
  }
  if (former.includes('payouts')) database.exec('update payouts set debited = amount');
  database.exec('commit');
}
