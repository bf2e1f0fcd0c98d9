// Statements that are built once. Kysely builds a statement anew for each use, and MikroORM's plugin translates it: 10 to 20 µs
// each, and a payment sends fifty. Here both happen when a statement's properties occur for the first time; after that its text is
// sent with other values.
import { type Compilable, type CompiledQuery, isExpression, type UnknownRow } from 'kysely';
import { byEntity, byProperty, type EntityDb } from './by-entity.ts';
import type { Db } from './orm.ts';

export type Answer<Found> = { rows: Found[]; numUpdatedRows: bigint };

type Statement<Given, Found> = (db: Db, parameters: Given) => Promise<Answer<Found>>;

/**
 * A statement in the names of entities and properties.
 * @param build is given stand-ins for the values, and never sees one: what it builds depends on which properties there are, and on
 *   nothing else. A parameter is a value, a row of values, or a list of rows; what is `undefined` is not there.
 */
export const statement = <Given extends object, Found = unknown>(
  build: (db: EntityDb, parameters: Given) => Compilable<Found>,
): Statement<Given, Found> =>
  builtOnce(
    (db, parameters: Given) => build(byEntity(db), parameters),
    (rows) => rows.map((row) => byProperty(row as UnknownRow) as Found),
  );

/** The same in the names of the database. */
export const columnStatement = <Given extends object, Found = unknown>(
  build: (db: Db, parameters: Given) => Compilable<Found>,
): Statement<Given, Found> => builtOnce(build, (rows) => rows as Found[]);

function builtOnce<Given extends object, Found>(
  build: (db: Db, parameters: Given) => Compilable<Found>,
  named: (rows: unknown[]) => Found[],
): Statement<Given, Found> {
  const shapes = new Shape();
  return async (db, parameters) => {
    const shape = shapeOf(parameters, shapes);
    shape.query ??= build(db, standInsFor(parameters) as Given).compile();
    const { query } = shape;
    const { rows, numAffectedRows: numUpdatedRows = 0n } = await db.executeQuery({
      ...query,
      parameters: query.parameters.map((value) => (value instanceof StandIn ? value.of(parameters) : value)),
    });
    return { rows: named(rows), numUpdatedRows };
  };
}

/** One for each name: a table cannot be a parameter. */
export function statements<Name extends string, One>(of: (name: Name) => One): (name: Name) => One {
  const made = new Map<Name, One>();
  return (name) => {
    const one = made.get(name) ?? of(name);
    made.set(name, one);
    return one;
  };
}

/** Stands for one value of the parameters while a statement is built. */
class StandIn {
  readonly #path: readonly string[];

  constructor(path: readonly string[]) {
    this.#path = path;
  }

  of(parameters: unknown): unknown {
    let within = parameters;
    for (const key of this.#path) within = (within as Record<string, unknown>)[key];
    return within;
  }
}

/** Or a list of rows. */
const isRow = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !(value instanceof Uint8Array);

function standInsFor(parameters: object, path: string[] = []): object {
  const entries = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      const within = [...path, key];
      // Its text would be sent as a value, and written.
      if (isExpression(value)) throw new Error(`${within.join('.')} is an expression, and no value`);
      return [key, isRow(value) ? standInsFor(value, within) : new StandIn(within)] as const;
    });
  return Array.isArray(parameters) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

/** Which properties there are: one step for each, so that finding a shape again makes nothing new. */
class Shape {
  query: CompiledQuery | null = null;
  readonly #next = new Map<string, Shape>();

  with(key: string): Shape {
    let next = this.#next.get(key);
    if (next === undefined) {
      next = new Shape();
      this.#next.set(key, next);
    }
    return next;
  }
}

function shapeOf(parameters: object, from: Shape): Shape {
  let shape = from;
  for (const key in parameters) {
    const value = (parameters as Record<string, unknown>)[key];
    if (value === undefined) continue;
    shape = shape.with(key);
    if (isRow(value)) shape = shapeOf(value, shape.with('{')).with('}');
  }
  return shape;
}
