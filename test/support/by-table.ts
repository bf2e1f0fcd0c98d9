// Reads and writes by tests, with the names of the database. A test that names tables and columns shows what is stored.
import type { Kysely } from 'kysely';
import type { Tables } from '../../src/tables/entities.ts';
import type { Db } from '../../src/tables/orm.ts';

/** Sends statements that name tables and columns, over the same connection and in the same transaction. */
export const byTable = (db: Db): Kysely<Tables> => db.withoutPlugins() as unknown as Kysely<Tables>;
