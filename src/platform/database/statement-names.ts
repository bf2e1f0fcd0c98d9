// Names statements, so that PostgreSQL parses and plans each of them once per connection. pg prepares a statement only if the query
// has a name, and Kysely sends none, so the client adds it here. A statement whose plan a schema change made outdated gets a new
// name. Outside a transaction it then runs again.
import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { isPlanOutdated } from './outdated-plan.ts';
import type { Query } from './patches/connection.ts';

type Answered = (error: unknown, result: unknown) => void;

/**
 * The maximum number of named statements. Further statements stay unprepared. The code has far fewer; only texts
 * built at run time could exceed it.
 */
const MAX_NAMES = 1_000;
/** The maximum number of runs. Each further run needs another schema change between preparing the statement and executing it. */
const MAX_RUNS = 5;

export type StatementNames = {
  /** Returns the name of a statement: a hash of its text, with the generation. Returns null if there are too many names. */
  of: (text: string) => string | null;
  /** Begins a new generation of names, unless `outdated` belongs to an earlier generation. */
  renew: (outdated: string) => void;
};

/** Creates the names of one pool. A statement has the same name on all connections of the pool. */
export function createStatementNames(max = MAX_NAMES): StatementNames {
  let generation = 1;
  let names = new Map<string, string>();
  return {
    of: (text) => {
      const existing = names.get(text);
      if (existing !== undefined) return existing;
      if (names.size >= max) return null;
      const name = `${createHash('sha256').update(text).digest('hex').slice(0, 16)}_${generation}`;
      names.set(text, name);
      return name;
    },
    renew: (outdated) => {
      if (!outdated.endsWith(`_${generation}`)) return;
      generation += 1;
      names = new Map();
    },
  };
}

/** Returns a `query` that sends statements with values under their names, as pg's `{ name, text, values }`. */
export function nameStatements(client: Client, query: Query, names: StatementNames): Query {
  const run = (text: string, values: unknown[], answered: Answered, nth = 1): unknown => {
    const name = names.of(text);
    if (name === null) return query(text, values, answered);
    return query({ name, text, values }, (error: unknown, result: unknown) => {
      if (!isPlanOutdated(error)) return answered(error, result);
      names.renew(name);
      // This is the status before the statement. Within a transaction, the whole transaction has to
      // begin again (see db-transaction.ts).
      if (client.getTransactionStatus() !== 'I' || nth === MAX_RUNS) return answered(error, result);
      run(text, values, answered, nth + 1);
    });
  };
  return (text, values, ...rest) => {
    // Naming a statement without values (begin, commit) gains nothing.
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || names.of(text) === null)
      return query(text, values, ...rest);
    const [callback] = rest as [Answered?];
    if (callback !== undefined) return void run(text, values, callback);
    return new Promise((resolve, reject) => {
      run(text, values, (error, result) => (error ? reject(error) : resolve(result)));
    });
  };
}
