// Describes everything that migrations can make in a database, from PostgreSQL's catalog, one line for each object. Two databases with
// the same lines have the same schema. Columns and values of types are in their order.
import type { Pool } from 'pg';

const QUERIES = [
  `select format('schema %s acl %s', nspname, nspacl) from pg_namespace
    where nspname !~ '^pg_' and nspname <> 'information_schema'`,
  `select format('extension %s %s', extname, extversion) from pg_extension`,
  `select format('type %s %s %s base %s acl %s', typname, typtype,
      (select array_agg(enumlabel order by enumsortorder) from pg_enum where enumtypid = pg_type.oid),
      format_type(typbasetype, typtypmod), typacl)
    from pg_type where typnamespace = $1::regnamespace`,
  `select format('function %s owner %s acl %s', pg_get_functiondef(oid), proowner::regrole, proacl)
    from pg_proc where pronamespace = $1::regnamespace`,
  `select format('relation %s kind %s persistence %s options %s acl %s owner %s row security %s %s identity %s partition %s of %s by %s',
      relname, relkind, relpersistence, reloptions, relacl, relowner::regrole, relrowsecurity, relforcerowsecurity,
      relreplident, pg_get_expr(relpartbound, oid),
      (select inhparent::regclass from pg_inherits where inhrelid = pg_class.oid), pg_get_partkeydef(oid))
    from pg_class where relnamespace = $1::regnamespace`,
  `select format('column %s.%s %s %s not null %s default %s identity %s generated %s collation %s storage %s %s options %s statistics %s acl %s',
      attrelid::regclass, row_number() over (partition by attrelid order by attnum), attname,
      format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid), attidentity, attgenerated,
      attcollation::regcollation, attstorage, attcompression, attoptions, attstattarget, attacl)
    from pg_attribute join pg_class on pg_class.oid = attrelid
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = $1::regnamespace and relkind not in ('i', 'I') and attnum > 0 and not attisdropped`,
  `select format('constraint %s of %s %s validated %s enforced %s inherited %s', conname, conrelid::regclass,
      pg_get_constraintdef(oid), convalidated, conenforced, coninhcount)
    from pg_constraint where connamespace = $1::regnamespace`,
  `select format('index %s valid %s identity %s clustered %s', pg_get_indexdef(indexrelid), indisvalid, indisreplident, indisclustered)
    from pg_index join pg_class on pg_class.oid = indexrelid where relnamespace = $1::regnamespace`,
  `select format('sequence %s %s from %s to %s by %s starts %s cycles %s', sequencename, data_type, min_value, max_value,
      increment_by, start_value, cycle)
    from pg_sequences where schemaname = $1`,
  `select format('trigger %s enabled %s', pg_get_triggerdef(pg_trigger.oid), tgenabled)
    from pg_trigger join pg_class on pg_class.oid = tgrelid where relnamespace = $1::regnamespace and not tgisinternal`,
  `select format('rule %s', definition) from pg_rules where schemaname = $1`,
  `select format('policy %s', to_jsonb(pg_policies)) from pg_policies where schemaname = $1`,
  `select format('statistics %s', pg_get_statisticsobjdef(oid)) from pg_statistic_ext where stxnamespace = $1::regnamespace`,
  `select format('default privileges %s %s', defaclobjtype, defaclacl) from pg_default_acl`,
  `select format('publication %s', pubname) from pg_publication`,
  `select format('event trigger %s', evtname) from pg_event_trigger`,
  `select format('comment on %s: %s', pg_describe_object(classoid, objoid, objsubid), description) from pg_description
    where objoid >= 16384`,
  `select format('floor %s', version) from schema_floor`,
];

export async function describeSchema(pool: Pool, schema = 'public'): Promise<string[]> {
  const lines: string[] = [];
  for (const query of QUERIES) {
    const values = query.includes('$1') ? [schema] : [];
    const { rows } = await pool.query<{ format: string }>(query, values);
    lines.push(...rows.map(({ format }) => format));
  }
  return lines.toSorted();
}
