// MikroORM over our own pool, for migrations and the schema. The service itself uses the entities' types and names only
// (entities/index.ts, by-entity.ts), and Kysely for its statements.
import { MikroORM } from '@mikro-orm/postgresql';
import { type Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import type { Tables } from '../entities/index.ts';
import { ormOptions } from './orm-options.ts';

export type Db = Kysely<Tables>;

export const createOrm = (pool: Pool) =>
  MikroORM.init({ ...ormOptions, dbName: databaseOf(pool), driverOptions: new PostgresDialect({ pool }) });

export type Orm = Awaited<ReturnType<typeof createOrm>>;

/** Migrations look the database up by name and would create it elsewhere, so the name must be the pool's own. */
const databaseOf = ({ options }: Pool): string =>
  decodeURIComponent(new URL(options.connectionString ?? '').pathname.slice(1)) || 'postgres';
