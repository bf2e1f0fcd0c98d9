// Reads the schema `public` from PostgreSQL's catalog: types of listed values, functions, and tables with what belongs to them.
import type { Pool } from 'pg';
import { migrationsTable } from '../../src/platform/database/applied-migrations.ts';

export type Catalog = {
  types: { name: string; values: string[] }[];
  functions: { name: string; sql: string }[];
  tables: Table[];
};

export type Table = {
  name: string;
  options: string[];
  partitionBy: string | null;
  partitions: { name: string; bound: string }[];
  columns: { name: string; type: string; notNull: string | null; defaultValue: string | null }[];
  constraints: { name: string; definition: string }[];
  indexes: string[];
  triggers: string[];
  /** The names of its columns' listed types, of the functions that it calls, and of the tables that its foreign keys refer to. */
  types: string[];
  calls: string[];
  refersTo: string[];
  /** The statements of the rows that a new database has. */
  rows: string[];
};

export async function readCatalog(pool: Pool): Promise<Catalog> {
  const { rows: types } = await pool.query<Catalog['types'][number]>(`
    select typname as name, array_agg(enumlabel::text order by enumsortorder) as values
    from pg_type join pg_enum on enumtypid = pg_type.oid
    where typnamespace = 'public'::regnamespace group by typname order by typname`);
  const { rows: functions } = await pool.query<Catalog['functions'][number]>(`
    select proname as name, format('create function %s(%s) returns %s%s language %s%s as $$%s$$;',
      proname, pg_get_function_arguments(pg_proc.oid), pg_get_function_result(pg_proc.oid),
      case provolatile when 'i' then E'\\n  immutable' when 's' then E'\\n  stable' else '' end
        || case when proisstrict then ' strict' else '' end
        || case proparallel when 's' then ' parallel safe' else '' end,
      lanname, (select coalesce(string_agg(' set ' || replace(setting, '=', ' = '), ''), '') from unnest(proconfig) setting),
      prosrc) as sql
    from pg_proc join pg_language on pg_language.oid = prolang
    where pronamespace = 'public'::regnamespace order by proname`);
  const { rows: tables } = await pool.query<Omit<Table, 'calls' | 'rows'>>(TABLES, [migrationsTable]);
  const { rows: floors } = await pool.query<{ version: string }>('select version from schema_floor');
  const floorRows = floors.map(({ version }) => `insert into schema_floor (version) values ('${version}');`);
  return {
    types,
    functions,
    tables: tables.map((table) => {
      const text = JSON.stringify([table.constraints, table.triggers, table.indexes]);
      const calls = functions.flatMap(({ name }) => (text.includes(`${name}(`) ? [name] : []));
      return { ...table, calls, rows: table.name === 'schema_floor' ? floorRows : [] };
    }),
  };
}

const TABLES = `
  select relname as name, coalesce(reloptions, '{}') as options, pg_get_partkeydef(pg_class.oid) as "partitionBy",
    (select coalesce(json_agg(json_build_object('name', part.relname, 'bound', pg_get_expr(part.relpartbound, part.oid))
        order by part.relname), '[]')
      from pg_inherits join pg_class part on part.oid = inhrelid where inhparent = pg_class.oid) as partitions,
    (select json_agg(json_build_object('name', quote_ident(attname), 'type', format_type(atttypid, atttypmod),
        'notNull', (select conname from pg_constraint
          where conrelid = attrelid and contype = 'n' and conkey = array[attnum]),
        'defaultValue', pg_get_expr(adbin, adrelid)) order by attnum)
      from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped) as columns,
    (select coalesce(json_agg(json_build_object('name', conname, 'definition', pg_get_constraintdef(oid, true))
        order by array_position('{p,u,f,c}', contype), conname), '[]')
      from pg_constraint where conrelid = pg_class.oid and contype in ('p', 'u', 'f', 'c')) as constraints,
    (select coalesce(json_agg(pg_get_indexdef(indexrelid, 0, true) order by indexrelid::regclass::text), '[]')
      from pg_index where indrelid = pg_class.oid
        and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))) as indexes,
    (select coalesce(json_agg(pg_get_triggerdef(oid, true) order by tgname), '[]')
      from pg_trigger where tgrelid = pg_class.oid and not tgisinternal) as triggers,
    (select coalesce(json_agg(distinct typname), '[]')
      from pg_attribute join pg_type on pg_type.oid = atttypid
      where attrelid = pg_class.oid and not attisdropped and typtype = 'e') as types,
    (select coalesce(json_agg(distinct confrelid::regclass::text), '[]')
      from pg_constraint where conrelid = pg_class.oid and contype = 'f') as "refersTo"
  from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> $1
  order by relname`;
