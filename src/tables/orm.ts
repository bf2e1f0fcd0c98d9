// MikroORM over our own pools. A process creates one instance at its entry point. The entities are the source of the schema, the
// migrations, the types and the names. Kysely builds the statements, and MikroORM's plugin translates their names. The plugin does
// not change text inside `sql`, which uses the database's names.
import { MikroKyselyPlugin, MikroORM } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { ClientBase, Pool } from 'pg';
import { type Entities, entityNaming } from './entities.ts';
import { ormOptions } from './orm-options.ts';

/** Sends statements that name tables by their entities and columns by their properties. */
export type Db = Kysely<Entities>;

/**
 * Creates the ORM from the entities. The pool opens its first connection for the first statement.
 * @param connections lends the pool's connections, for a caller that observes the loans.
 */
export const createOrm = (pool: Pool, connections: PostgresPool = pool) =>
  MikroORM.init({
    ...ormOptions,
    dbName: databaseOf(pool),
    driverOptions: new PostgresDialect({ pool: connections }),
  });

export type Orm = Awaited<ReturnType<typeof createOrm>>;

/** Sends statements over the ORM's own pool. */
export const dbOf = (orm: Orm): Db => orm.em.getKysely(entityNaming);

export const dbOver = (orm: Orm, pool: PostgresPool): Db =>
  new Kysely<Entities>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new MikroKyselyPlugin(orm.em, entityNaming)],
  });

/** Sends statements over one connection, which the caller has taken from a pool and returns to it. */
export function dbOn(orm: Orm, client: ClientBase): Db {
  const query = client.query.bind(client) as PostgresPoolClient['query'];
  const connection: PostgresPoolClient = { query, release: () => undefined };
  return dbOver(orm, { options: {}, connect: async () => connection, end: async () => undefined });
}

/**
 * Returns the name of the pool's database. Migrations look the database up by this name, and would create it if it did not exist.
 */
const databaseOf = ({ options }: Pool): string =>
  decodeURIComponent(new URL(options.connectionString ?? '').pathname.slice(1)) || 'postgres';
