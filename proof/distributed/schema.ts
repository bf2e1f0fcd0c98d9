// The tables of a run on a cluster.
import { distributeDatabase, migrateDatabase, query } from '../../harness/database/query.ts';

/** @throws Error if the database has tables, because they may be somebody's. */
export async function assertEmpty(url: string): Promise<void> {
  const [tables] = await query<{ count: number }>(
    url,
    `select count(*)::int as count from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  if (tables?.count) throw new Error(`the database has ${tables.count} tables: name an empty one`);
}

/** Creates the tables and gives each its place. @returns how many tables there are. */
export async function createTables(url: string): Promise<number> {
  await migrateDatabase(url);
  return distributeDatabase(url);
}

/** Drops everything that the migrations created. The extension stays, in the same schema. */
export async function dropTables(url: string): Promise<void> {
  const drops = await query<{ statement: string }>(
    url,
    `with object as (
       select 1 as nth, 'table' as kind, oid, 'pg_class'::regclass as class, oid::regclass::text as name
       from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       union all
       select 2, 'type', oid, 'pg_type'::regclass, oid::regtype::text
       from pg_type where typnamespace = 'public'::regnamespace and typtype = 'e'
       union all
       select 3, 'routine', oid, 'pg_proc'::regclass, oid::regprocedure::text
       from pg_proc where pronamespace = 'public'::regnamespace
     )
     select 'drop ' || kind || ' if exists ' || string_agg(name, ', ') || ' cascade' as statement from object
     where not exists (select from pg_depend where classid = class and objid = oid and deptype = 'e')
     group by nth, kind order by nth`,
  );
  for (const { statement } of drops) await query(url, statement);
}

/** Describes the engine. @throws Error if the server has no Citus. */
export async function versionsOf(url: string): Promise<string> {
  const [row] = await query<{ citus: string; postgres: string; workers: number }>(
    url,
    `select extversion as citus, current_setting('server_version') as postgres,
       (select count(*)::int from citus_get_active_worker_nodes()) as workers
     from pg_extension where extname = 'citus'`,
  );
  if (row === undefined) throw new Error('the database has no extension citus');
  return `Citus ${row.citus}, PostgreSQL ${row.postgres}, ${row.workers} workers`;
}
