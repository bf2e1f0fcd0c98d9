// Prepared statements. A statement is built with the connection that it first runs on. Afterwards the same text is sent with other
// values, so building it and translating its names cost nothing, and PostgreSQL plans it once per connection.
import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import type { CompiledQuery, Kysely, RawBuilder, UnknownRow } from 'kysely';

type Built<Row> = { compile(): CompiledQuery<Row> } | RawBuilder<Row>;

/**
 * Builds a statement.
 * @param db names tables by their entities and columns by their properties. Text inside `` sql`` `` is sent unchanged, so it uses
 *   the database's names. The columns of its result are still renamed to properties.
 * @param params has a placeholder for each parameter. Each property is one value of the statement; while the
 *   statement is built, it has no values.
 */
type Build<Tables, Params extends object, Row> = (db: Kysely<Tables>, params: Params) => Built<Row>;

/** Runs the statement. Its text is the same for all parameters. */
export type Prepared<Tables, Params extends object, Result> = ((
  db: Kysely<Tables>,
  params: Params,
) => Promise<Result>) & {
  /** Returns the text of the statement, with `$1` for the first parameter. */
  text: (db: Kysely<Tables>) => string;
};

/**
 * Returns the three ways to prepare a statement, named by its result: `all` returns every row, `first` returns the first row or
 * undefined, and `count` returns how many rows were written.
 */
export const preparedFor = <Tables>() => ({
  all: <Params extends object, Row>(build: Build<Tables, Params, Row>): Prepared<Tables, Params, Row[]> =>
    prepare(build, ({ rows }) => allByProperty(rows) as Row[]),
  first: <Params extends object, Row>(
    build: Build<Tables, Params, Row>,
  ): Prepared<Tables, Params, Row | undefined> =>
    prepare(build, ({ rows }) => allByProperty(rows.slice(0, 1))[0] as Row | undefined),
  count: <Params extends object>(build: Build<Tables, Params, unknown>): Prepared<Tables, Params, number> =>
    prepare(build, ({ numAffectedRows }) => Number(numAffectedRows ?? 0n)),
});

/** Prepares a statement for each of several tables or kinds, which cannot be a parameter. */
export const ofEach = <Key extends string, Statement>(
  keys: readonly Key[],
  build: (key: Key) => Statement,
): Record<Key, Statement> =>
  Object.fromEntries(keys.map((key) => [key, build(key)])) as Record<Key, Statement>;

type Answer = { rows: UnknownRow[]; numAffectedRows?: bigint };

function prepare<Tables, Params extends object, Row, Result>(
  build: Build<Tables, Params, Row>,
  resultOf: (answer: Answer) => Result,
): Prepared<Tables, Params, Result> {
  let built: CompiledQuery | null = null;
  const compiled = (db: Kysely<Tables>): CompiledQuery =>
    (built ??= compile(build(db, placeholders as Params), db));
  const run = async (db: Kysely<Tables>, params: Params): Promise<Result> => {
    const statement = compiled(db);
    const parameters = statement.parameters.map((value) =>
      value instanceof Placeholder ? value.of(params) : value,
    );
    // `withoutPlugins`: MikroORM's plugin would build its table of columns for each result, which takes 100 µs for a whole row.
    return resultOf((await db.withoutPlugins().executeQuery({ ...statement, parameters })) as Answer);
  };
  return Object.assign(run, { text: (db: Kysely<Tables>) => compiled(db).sql });
}

const compile = <Tables>(built: Built<unknown>, db: Kysely<Tables>): CompiledQuery =>
  'isRawBuilder' in built ? built.compile(db) : built.compile();

/** The placeholder of one parameter while a statement is built. */
class Placeholder {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  /** Returns the parameter's value. @throws TypeError if the caller omitted it, because PostgreSQL would treat it as null. */
  of(params: object): unknown {
    const value = (params as Record<string, unknown>)[this.#name];
    if (value === undefined) throw new TypeError(`the parameter ${this.#name} is missing`);
    return value;
  }
}

/**
 * An object whose properties are all placeholders. Its properties cannot be listed, so a statement must
 * name each parameter that it uses.
 */
const placeholders: object = new Proxy(Object.create(null), {
  get: (_target, name) => new Placeholder(String(name)),
  ownKeys: () => {
    throw new TypeError('a statement names its parameters one by one');
  },
});

/** Returns the named parameters, for `values` and `set` with columns of the same names. */
export const pick = <Params extends object, Name extends keyof Params>(
  params: Params,
  ...names: readonly Name[]
): Pick<Params, Name> => Object.fromEntries(names.map((name) => [name, params[name]])) as Pick<Params, Name>;

/**
 * Selects columns under their properties' names. The rows of a list need no renaming then.
 * @example
 * db.selectFrom('PixPayment as payment').select(asProperties('payment', 'state', 'homeDebitMinor'))
 */
export const asProperties = <Table extends string, Name extends string>(table: Table, ...names: Name[]) =>
  names.map((name) => `${table}.${name} as ${name}`) as {
    [One in Name]: `${Table}.${One} as ${One}`;
  }[Name][];

/** Renames the columns of rows that have all the same columns, unless each has a property's name already. */
function allByProperty(rows: UnknownRow[]): UnknownRow[] {
  const columns = Object.keys(rows[0] ?? {});
  return columns.every((column) => propertyOf(column) === column) ? rows : rows.map(byProperty);
}

export function byProperty(row: UnknownRow): UnknownRow {
  const named: UnknownRow = {};
  for (const column in row) named[propertyOf(column)] = row[column];
  return named;
}

const naming = new UnderscoreNamingStrategy();
const properties = new Map<string, string>();

/** Returns the property name of a column. MikroORM's naming strategy derives each column's name from its property. */
function propertyOf(column: string): string {
  let property = properties.get(column);
  if (property === undefined) {
    property = naming.columnNameToProperty(column);
    properties.set(column, property);
  }
  return property;
}
