// Writes a constant list of the code into a statement as literals instead of parameters.
import { type RawBuilder, sql } from 'kysely';

/**
 * Returns the right-hand side of `in`. A statement is planned once for all values, so PostgreSQL uses a partial index only if the
 * statement's own text shows that its rows are in the index.
 */
export const oneOf = <Value extends string>(values: readonly Value[]): RawBuilder<Value> =>
  sql<Value>`(${sql.join(values.map((value) => sql.lit(value)))})`;
