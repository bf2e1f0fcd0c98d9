// Statements that name entities and their properties, as src/entities declares them, where `Db` names tables and columns.
// MikroORM's own Kysely plugin translates the names both ways; a statement is otherwise sent as it is written. Text inside
// `sql` is not translated: there the names are those of the database.
import { MikroKyselyPlugin, MikroORM } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type Entities, entityNaming } from '../entities/index.ts';
import { type Db, ormOptions } from './orm.ts';

export type EntityDb = Kysely<Entities>;

// For what it knows of the entities: it never connects.
const { em } = new MikroORM({ ...ormOptions, dbName: 'ponte' });
const plugin = new MikroKyselyPlugin(em, entityNaming);

/** The same connection, and within a transaction the same transaction. */
export const byEntity = (db: Db): EntityDb => db.withPlugin(plugin) as unknown as EntityDb;
