// Prepared statements on the tables of this service (platform/database/prepared.ts).
import { type Expression, expressionBuilder, type RawBuilder, type SqlBool } from 'kysely';
import { pick, preparedFor } from '../platform/database/prepared.ts';
import { type Entities, entities } from './entities.ts';
import type { Entity } from './rows.ts';

/**
 * Prepares a statement, named by its result: `all` returns every row, `first` returns the first row or undefined, and `count` returns
 * how many rows were written.
 * @example
 * export const findUser = prepared.first((db, { userId }: { userId: string }) =>
 *   db.selectFrom('User').selectAll().where('id', '=', userId),
 * );
 */
export const prepared = preparedFor<Entities>();

/**
 * Returns every property of a new row, for `values`. Each is a parameter of the same name.
 * @param instead has the values of the properties that are not such parameters.
 */
export function everyProperty<Name extends keyof Entities, Other extends keyof Entity<Name> = never>(
  name: Name,
  params: Omit<Entity<Name>, Other>,
  instead?: { [Property in Other]: Entity<Name>[Property] | RawBuilder<Entity<Name>[Property]> },
) {
  const entity = entities.find((one) => one.name === name);
  const row = pick(
    params as Entity<Name>,
    ...(Object.keys(entity?.properties ?? {}) as (keyof Entity<Name>)[]),
  );
  return { ...row, ...instead } as Entity<Name>;
}

const conditions = expressionBuilder<Entities, keyof Entities>();

/**
 * Returns the condition that each of these columns has its value, for `where`. A value of null means `is null`.
 * @example
 * db.deleteFrom('JobRun').where(equals({ job, run, dueAt: null }))
 */
export const equals = <const Values extends object>(values: Values) =>
  (() => conditions.and(values)) as Equals<Values>;

/** Compares one column with its value. TypeScript accepts a union of these only if the table has all the columns, with such values. */
type Equals<Values> = {
  [Column in keyof Values]: (
    is: (column: Column, operator: '=', value: Values[Column]) => Expression<SqlBool>,
  ) => Expression<SqlBool>;
}[keyof Values];
