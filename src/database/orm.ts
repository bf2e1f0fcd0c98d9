// MikroORM over our own pools. A process makes one, in its entry. The entities are the source of the schema, the migrations, the
// types and the names. The statements are Kysely's, and MikroORM's plugin translates the names in them. It leaves text inside `sql`
// as it is: there the names are those of the database.
import { MikroKyselyPlugin, MikroORM } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { ClientBase, Pool } from 'pg';
import { type Entities, entityNaming } from '../entities/index.ts';
import { ormOptions } from './orm-options.ts';

/** Sends statements that name tables by their entities and columns by their properties. */
export type Db = Kysely<Entities>;

/** Reads the entities. The pool opens a connection for the first statement, not before. */
export const createOrm = (pool: Pool) =>
  MikroORM.init({ ...ormOptions, dbName: databaseOf(pool), driverOptions: new PostgresDialect({ pool }) });

export type Orm = Awaited<ReturnType<typeof createOrm>>;

/** Sends statements over the ORM's own pool. */
export const dbOf = (orm: Orm): Db => orm.em.getKysely(entityNaming);

/** Sends statements over another pool of the same process. */
export const dbOver = (orm: Orm, pool: PostgresPool): Db =>
  new Kysely<Entities>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new MikroKyselyPlugin(orm.em, entityNaming)],
  });

/** Sends statements over one connection, which its caller has taken from a pool and gives back. */
export function dbOn(orm: Orm, client: ClientBase): Db {
  const query = client.query.bind(client) as PostgresPoolClient['query'];
  const connection: PostgresPoolClient = { query, release: () => undefined };
  return dbOver(orm, { options: {}, connect: async () => connection, end: async () => undefined });
}

/** Migrations look the database up by name and would create it elsewhere, so the name must be the pool's own. */
const databaseOf = ({ options }: Pool): string =>
  decodeURIComponent(new URL(options.connectionString ?? '').pathname.slice(1)) || 'postgres';
