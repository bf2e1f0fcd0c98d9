// Writes a database's schema as SQL that a person can read: a file for each table with its types, functions, indexes and triggers, and
// a file for the types that several tables share. It knows the kinds of objects that this schema has; test/database/baseline.test.ts
// compares the result with the database.
import type { Pool } from 'pg';
import { readCatalog, type Table } from './catalog.ts';

export type SchemaFile = { name: string; sql: string };

const SHARED_TYPES = 'shared-types';

/**
 * @param headers what each table is for, without comment signs.
 * @returns the files, each after those that it needs.
 */
export async function schemaFiles(pool: Pool, headers: ReadonlyMap<string, string>): Promise<SchemaFile[]> {
  const { types, functions, tables } = await readCatalog(pool);
  const usersOf = (type: string): string[] =>
    tables.filter((table) => table.types.includes(type)).map(({ name }) => name);
  const shared = types.filter(({ name }) => usersOf(name).length !== 1);
  const written = inOrder(tables).map((table) => {
    const own = types.filter(({ name }) => usersOf(name).length === 1 && table.types.includes(name));
    // The first table that calls a function creates it.
    const called = functions.filter(
      ({ name }) => tables.find(({ calls }) => calls.includes(name))?.name === table.name,
    );
    const parts = [
      own.map(typeSql).join('\n'),
      ...called.map(({ sql }) => sql),
      tableSql(table),
      partitionsSql(table),
      table.indexes.map(statement).join('\n'),
      table.triggers.map(statement).join('\n'),
      ...table.rows,
    ];
    return { name: table.name, sql: fileOf(headers.get(table.name), parts) };
  });
  const sharedSql = fileOf('The types that columns of several tables have.', [
    shared.map(typeSql).join('\n'),
  ]);
  return [{ name: SHARED_TYPES, sql: sharedSql }, ...written];
}

const MAX_WIDTH = 120;

const fileOf = (header: string | undefined, parts: string[]): string =>
  `${[...(header === undefined ? [] : [commented(header)]), ...parts.filter(Boolean)].join('\n\n')}\n`;

const commented = (header: string): string =>
  header
    .split('\n')
    .map((line) => `-- ${line}`)
    .join('\n');

/** Puts each table after those that its foreign keys refer to. */
function inOrder(tables: Table[]): Table[] {
  const ordered: Table[] = [];
  const add = (table: Table): void => {
    if (ordered.includes(table)) return;
    for (const name of table.refersTo) add(tables.find((other) => other.name === name) as Table);
    ordered.push(table);
  };
  for (const table of tables) add(table);
  return ordered;
}

function typeSql({ name, values }: { name: string; values: string[] }): string {
  const line = `create type ${name} as enum (${values.map((value) => `'${value}'`).join(', ')});`;
  return line.length <= MAX_WIDTH
    ? line
    : `create type ${name} as enum (\n${values.map((value) => `  '${value}'`).join(',\n')}\n);`;
}

function tableSql({ name, columns, constraints, options, partitionBy }: Table): string {
  const lines = [
    ...columns.map(
      (column) =>
        `  ${column.name} ${shortType(column.type)}${defaultSql(column)}${notNullSql(name, column)}`,
    ),
    ...constraints.map((constraint) =>
      folded(`  constraint ${constraint.name} ${asWritten(constraint.definition)}`),
    ),
  ];
  const by = partitionBy === null ? '' : ` partition by ${asWritten(partitionBy)}`;
  const settings =
    options.length === 0
      ? ''
      : ` with (\n${options.map((option) => `  ${option.replace('=', ' = ')}`).join(',\n')}\n)`;
  return `create table ${name} (\n${lines.join(',\n')}\n)${by}${settings};`;
}

const defaultSql = ({ defaultValue }: Table['columns'][number]): string =>
  defaultValue === null ? '' : ` default ${asWritten(defaultValue)}`;

/** Names the constraint if PostgreSQL would name it differently, as it does after the table or the column was renamed. */
function notNullSql(table: string, { name, notNull }: Table['columns'][number]): string {
  if (notNull === null) return '';
  return notNull === `${table}_${name.replaceAll('"', '')}_not_null`
    ? ' not null'
    : ` constraint ${notNull} not null`;
}

/** Many partitions differ in their number only, so a loop creates them. */
function partitionsSql({ name, partitions }: Table): string {
  const isNumbered = partitions.every(
    (one, index) =>
      one.name === `${name}_${String(index).padStart(2, '0')}` && one.bound === `FOR VALUES IN (${index})`,
  );
  if (partitions.length < 3 || !isNumbered)
    return partitions
      .map((one) => `create table ${one.name} partition of ${name} ${asWritten(one.bound)};`)
      .join('\n');
  return `do $$ begin
  for number in 0..${partitions.length - 1} loop
    execute format('create table ${name}_%s partition of ${name} for values in (%s)', lpad(number::text, 2, '0'), number);
  end loop;
end $$;`;
}

const statement = (definition: string): string => folded(`${asWritten(definition)};`);

/** Continues a line that is too wide on a second one. */
const folded = (line: string): string =>
  line.length <= MAX_WIDTH
    ? line
    : line.replace(/^( *)(.*?) (where|execute|references|check) /, '$1$2\n$1  $3 ');

const shortType = (type: string): string =>
  type
    .replace(/^timestamp(\(\d\)) with time zone$/, 'timestamptz$1')
    .replace('character varying', 'varchar')
    .replace(/^integer$/, 'int');

/** PostgreSQL's text of an expression, as a person writes it: lower case, without its own casts of literals, and `in` for lists. */
function asWritten(expression: string): string {
  const lower = expression
    .split(/('(?:[^']|'')*')/)
    .map((part, index) => (index % 2 === 0 ? part.toLowerCase() : part))
    .join('');
  return lower
    .replaceAll('public.', '')
    .replaceAll(' using btree', '')
    .replaceAll(/('(?:[^']|'')*')::[a-z_]+( varying)?/g, '$1')
    .replaceAll(/(\w+) = any \(array\[(.*?)\]\)/g, '$1 in ($2)')
    .replace(/ references (\w+)\(/, ' references $1 (');
}
