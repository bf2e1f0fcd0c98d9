// Patches pg 8.23.1: a statement with values is prepared on each connection the first time, under a name that its text has in
// the whole pool. pg prepares only what is given a name with each query, and Kysely gives none.
// Gain: PostgreSQL parses and plans a statement once for each connection; with corked-queries.ts a callback costs the service
// 0.88 ms instead of 1.45 ms (docs/performance.md).
import type { Client } from 'pg';
import { connectionOf, type Query } from './connection.ts';
import { type Answered, PreparedQuery, preparedResultsOf } from './prepared-query.ts';

/** Statements are few because they stand in the code; texts beyond this limit would be made at run time, and stay unprepared. */
const MOST_PREPARED = 1_000;
/** `feature_not_supported`: "cached plan must not change result type". */
const RESULT_TYPE_CHANGED = '0A000';

export type StatementNames = {
  /** @returns null when there are too many. */
  of: (text: string) => string | null;
  /** Gives every statement a new name. */
  renew: () => void;
};

/** One for each pool. */
export function createStatementNames(most = MOST_PREPARED): StatementNames {
  let generation = 1;
  let names = new Map<string, string>();
  return {
    of: (text) => {
      const known = names.get(text);
      if (known !== undefined) return known;
      if (names.size >= most) return null;
      const name = `s${generation}_${names.size + 1}`;
      names.set(text, name);
      return name;
    },
    renew: () => {
      generation += 1;
      names = new Map();
    },
  };
}

export function prepareStatements(client: Client, query: Query, names: StatementNames): Query {
  const prepared = preparedResultsOf(connectionOf(client));
  // A migration beside a running service can change what a prepared `select *` returns. The server refuses the statement for as
  // long as it is asked for under its old name.
  const renewIfChanged = (error: unknown): void => {
    if ((error as { code?: unknown } | null)?.code === RESULT_TYPE_CHANGED) names.renew();
  };
  return (text, values, ...rest) => {
    // Without values there is nothing to gain (begin, commit).
    const isPlain = typeof text === 'string' && Array.isArray(values) && values.length > 0;
    const name = isPlain ? names.of(text) : null;
    if (!isPlain || name === null) return query(text, values, ...rest);
    const execute = (answered: Answered): unknown =>
      query(
        new PreparedQuery(prepared, { name, text, values }, (error, result) => {
          renewIfChanged(error);
          answered(error, result);
        }),
      );
    const [callback] = rest as [Answered?];
    if (callback !== undefined) return void execute(callback);
    return new Promise((resolve, reject) => {
      execute((error, result) => (error ? reject(error) : resolve(result)));
    });
  };
}
