// Statements that name entities and their properties, as src/entities declares them, where `Db` names tables and columns.
// MikroORM's own Kysely plugin translates the names; a statement is otherwise sent as it is written. Text inside `sql` is not
// translated: there the names are those of the database.
import { MikroKyselyPlugin, MikroORM } from '@mikro-orm/postgresql';
import type { Kysely, KyselyPlugin, UnknownRow } from 'kysely';
import { type Entities, entities, entityNaming } from '../entities/index.ts';
import type { Db } from './orm.ts';

export type EntityDb = Kysely<Entities>;

/** The same connection, and within a transaction the same transaction. */
export const byEntity = (db: Db): EntityDb => db.withPlugin(translation) as unknown as EntityDb;

// For what it knows of the entities: it never connects.
const orm = new MikroORM({ entities: [...entities], dbName: 'ponte' });
const plugin = new MikroKyselyPlugin(orm.em, entityNaming);

// The plugin makes its table of columns anew for each result, which takes 100 µs where a whole row is read. Every column has
// one property's name in all entities, so ours is made once.
export const translation: KyselyPlugin = {
  transformQuery: (args) => plugin.transformQuery(args),
  transformResult: async ({ result }) => ({ ...result, rows: result.rows.map(byProperty) }),
};

const propertyOf = propertiesByColumn();

function propertiesByColumn(): Map<string, string> {
  const properties = new Map<string, string>();
  for (const { props } of orm.getMetadata())
    for (const { name, fieldNames } of props) {
      // A reference has a column of its own, and then that of the user, which is another property's.
      const [column] = fieldNames;
      if (column === undefined) continue;
      if ((properties.get(column) ?? name) !== name) throw new Error(`${column} has two properties' names`);
      properties.set(column, name);
    }
  return properties;
}

export function byProperty(row: UnknownRow): UnknownRow {
  const named: UnknownRow = {};
  for (const column in row) named[propertyOf.get(column) ?? column] = row[column];
  return named;
}

/** The properties of an entity that have a column. */
export const propertiesOf = (entity: keyof Entities): string[] =>
  orm
    .getMetadata()
    .getByClassName(entity)
    .props.filter(({ fieldNames }) => fieldNames.length > 0)
    .map(({ name }) => name);
