// Patches pg 8.23.1: a statement with values is prepared on each connection the first time, under a name that its text has in
// the whole pool. pg prepares only what is given a name with each query, and Kysely gives none. A statement whose plan a schema
// change made outdated gets a new name, and outside a transaction it runs again here.
// Gain: PostgreSQL parses and plans a statement once for each connection; with corked-queries.ts a callback costs the service
// 0.88 ms instead of 1.45 ms (docs/performance.md).
import type { Client } from 'pg';
import { isPlanOutdated } from '../outdated-plan.ts';
import type { Query } from './connection.ts';

type Answered = (error: unknown, result: unknown) => void;

/** Statements are few because they stand in the code; texts beyond this limit would be made at run time, and stay unprepared. */
const MOST_PREPARED = 1_000;
/** Each run needs another schema change between preparing the statement and executing it. */
const MOST_RUNS = 5;

export type StatementNames = {
  /** @returns null when there are too many. */
  of: (text: string) => string | null;
  /** Gives every statement a new name, unless `outdated` is a former name already. */
  renew: (outdated: string) => void;
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
    renew: (outdated) => {
      if (!outdated.startsWith(`s${generation}_`)) return;
      generation += 1;
      names = new Map();
    },
  };
}

export function prepareStatements(client: Client, query: Query, names: StatementNames): Query {
  const run = (text: string, values: unknown[], answered: Answered, nth = 1): unknown => {
    const name = names.of(text);
    if (name === null) return query(text, values, answered);
    return query({ name, text, values }, (error: unknown, result: unknown) => {
      if (!isPlanOutdated(error)) return answered(error, result);
      names.renew(name);
      // The status is the one before this statement. A transaction has to begin again (see transaction.ts).
      if (client.getTransactionStatus() !== 'I' || nth === MOST_RUNS) return answered(error, result);
      run(text, values, answered, nth + 1);
    });
  };
  return (text, values, ...rest) => {
    // A statement without values (begin, commit) gains nothing.
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || names.of(text) === null)
      return query(text, values, ...rest);
    const [callback] = rest as [Answered?];
    if (callback !== undefined) return void run(text, values, callback);
    return new Promise((resolve, reject) => {
      run(text, values, (error, result) => (error ? reject(error) : resolve(result)));
    });
  };
}
