// A list of ours written into a statement, and not sent beside it as values are.
import { type RawBuilder, sql } from 'kysely';

/**
 * The right-hand side of `in`. A statement is planned once for all values, so a partial index is only used where the
 * statement itself says that the rows wanted are among those that the index has.
 */
export const oneOf = <Value extends string>(values: readonly Value[]): RawBuilder<Value> =>
  sql<Value>`(${sql.join(values.map((value) => sql.lit(value)))})`;
