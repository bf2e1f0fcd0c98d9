// The store: SQLite in this process. Every statement is prepared once and kept.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { SCHEMA } from './schema.ts';

// The caller chooses the type of a row: SQL has no types that TypeScript could check it against.
/* oxlint-disable typescript/no-unnecessary-type-parameters */

export type Store = ReturnType<typeof openStore>;

/**
 * A commit that only reached the operating system survives SIGKILL; only a power cut would need an fsync. The cache is 64 MiB, and
 * the log grows to 16 MiB before it is copied into the file, so that less is read and copied repeatedly.
 */
const SETTINGS = `
  pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 2000;
  pragma cache_size = -65536; pragma wal_autocheckpoint = 4000;
`;

/** Version 1.1.0 did not have these columns. */
const ADDED_COLUMNS = [
  ['movements', 'named_as'],
  ['payouts', 'lookup_uuid'],
  ['payouts', 'failure_limit'],
  ['payouts', 'retry_from'],
  ['payouts', 'br_code_uuid'],
  ['payouts', 'charge_uuid'],
  ['payouts', 'refunds'],
] as const;

export function openStore(folder: string) {
  const database = new DatabaseSync(fileIn(folder));
  database.exec(SETTINGS);
  database.exec(SCHEMA);
  addColumns(database);

  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string) => {
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = database.prepare(sql)));
    return statement;
  };

  const written = <Row>(sql: string, ...values: SQLInputValue[]): Row => {
    // This reads all rows: a statement that returns rows ends when the last row was read.
    const [row] = prepared(sql).all(...values);
    if (!row) throw new Error(`nothing was written by ${sql}`);
    return row as Row;
  };

  return {
    /** Returns the first row, or undefined. */
    get: <Row>(sql: string, ...values: SQLInputValue[]) => prepared(sql).get(...values) as Row | undefined,
    all: <Row>(sql: string, ...values: SQLInputValue[]) => prepared(sql).all(...values) as Row[],
    /** Runs the statement, and returns how many rows changed and the id of the last inserted row. */
    run(sql: string, ...values: SQLInputValue[]): { changes: number; id: number } {
      const { changes, lastInsertRowid } = prepared(sql).run(...values);
      return { changes: Number(changes), id: Number(lastInsertRowid) };
    },
    /**
     * Returns the row that an insert or update with `returning *` wrote.
     * @throws an error if it wrote none.
     */
    written,
    /** Inserts a row and returns it. Names of tables and columns come from the code, never from a request. */
    insert<Row>(table: string, row: object): Row {
      const names = Object.keys(row);
      const sql = `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) returning *`;
      return written<Row>(sql, ...(Object.values(row) as SQLInputValue[]));
    },
    update<Row>(table: string, uuid: string, values: object): Row {
      const set = Object.keys(values).map((name) => `${name} = ?`);
      const sql = `update ${table} set ${set.join(', ')} where uuid = ? returning *`;
      return written<Row>(sql, ...(Object.values(values) as SQLInputValue[]), uuid);
    },
    /** Runs the work in a transaction. It is synchronous, so no other code in this process sees it half done. */
    transaction<Result>(work: () => Result): Result {
      // There is no other writer, so a lock taken with the first write is early enough, and readers need none.
      prepared('begin').run();
      try {
        const result = work();
        prepared('commit').run();
        return result;
      } catch (error) {
        prepared('rollback').run();
        throw error;
      }
    },
    close: (): void => database.close(),
  };
}

/** Adds what version 1.1.0 did not have. */
function addColumns(database: DatabaseSync): void {
  for (const [table, column] of ADDED_COLUMNS) {
    const isThere = `select 1 from pragma_table_info('${table}') where name = '${column}'`;
    if (!database.prepare(isThere).get()) database.exec(`alter table ${table} add column ${column} text`);
  }
  database.exec('create index if not exists payouts_of_charge on payouts (charge_uuid)');
}

function fileIn(folder: string): string {
  if (folder === ':memory:') return folder;
  mkdirSync(folder, { recursive: true });
  return join(folder, 'sandbox.sqlite');
}

/** Reads a value that is stored as JSON among the sandbox's settings. */
export function readSetting(store: Store, name: string): unknown {
  const row = store.get<{ value: string }>('select value from settings where name = ?', name);
  return row && JSON.parse(row.value);
}

export function writeSetting(store: Store, name: string, value: unknown): void {
  const sql = `insert into settings (name, value) values (?, ?)
    on conflict (name) do update set value = excluded.value`;
  store.run(sql, name, JSON.stringify(value));
}
