// A list of ours as literals in a statement, instead of parameters.
import { type RawBuilder, sql } from 'kysely';

/**
 * The right-hand side of `in`. A statement is planned once for all values, so a partial index is used only where the
 * statement itself says that its rows are among those of the index.
 */
export const oneOf = <Value extends string>(values: readonly Value[]): RawBuilder<Value> =>
  sql<Value>`(${sql.join(values.map((value) => sql.lit(value)))})`;
