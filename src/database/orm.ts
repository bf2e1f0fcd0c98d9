// MikroORM over our own pools. A process makes one, in its entry. The entities are the source of the schema, the migrations, the
// types and the names; the statements are Kysely's, and MikroORM translates the names in them.
import { MikroKyselyPlugin, MikroORM } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { ClientBase, Pool } from 'pg';
import { type Entities, entityNaming } from '../entities/index.ts';
import { ormOptions } from './orm-options.ts';

/** Sends statements, which name tables by their entities and columns by their properties. */
export type Db = Kysely<Entities>;

/** It connects when the first statement is sent. */
export const createOrm = (pool: Pool) =>
  MikroORM.init({ ...ormOptions, dbName: databaseOf(pool), driverOptions: new PostgresDialect({ pool }) });

export type Orm = Awaited<ReturnType<typeof createOrm>>;

/** Over the pool that the ORM was made with. */
export const dbOf = (orm: Orm): Db => orm.em.getKysely(entityNaming);

/** Over another pool of the same process. */
export const dbOver = (orm: Orm, pool: PostgresPool): Db =>
  new Kysely<Entities>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new MikroKyselyPlugin(orm.em, entityNaming)],
  });

/** Over one connection, which its caller has taken from a pool and gives back. */
export function dbOn(orm: Orm, client: ClientBase): Db {
  const query = client.query.bind(client) as PostgresPoolClient['query'];
  const connection: PostgresPoolClient = { query, release: () => undefined };
  return dbOver(orm, { options: {}, connect: async () => connection, end: async () => undefined });
}

/** Migrations look the database up by name and would create it elsewhere, so the name must be the pool's own. */
const databaseOf = ({ options }: Pool): string =>
  decodeURIComponent(new URL(options.connectionString ?? '').pathname.slice(1)) || 'postgres';
