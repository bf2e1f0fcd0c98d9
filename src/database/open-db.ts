// Kysely over connections of pg.
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type { ClientBase, Pool } from 'pg';
import type { Tables } from '../entities/index.ts';
import type { Db } from './orm.ts';

export const openDb = (pool: Pool): Db => new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });

/** Sends statements on one connection, which its caller has taken from a pool and gives back. */
export function dbOn(client: ClientBase): Db {
  const query = client.query.bind(client) as PostgresPoolClient['query'];
  const connection: PostgresPoolClient = { query, release: () => undefined };
  return new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: { options: {}, connect: async () => connection, end: async () => undefined },
    }),
  });
}
