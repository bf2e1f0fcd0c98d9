// Tests read and write rows under the names of the database, which entities and statements do not decide.
import type { Kysely } from 'kysely';
import type { Db } from '../../src/database/orm.ts';
import type { Tables } from '../../src/entities/index.ts';

/** The same connection, and within a transaction the same transaction, in the names of tables and columns. */
export const byTable = (db: Db): Kysely<Tables> => db.withoutPlugins() as unknown as Kysely<Tables>;
