// Runs database transactions whose statements are sent as soon as they are issued. Kysely's own transaction waits for the
// answer to each statement before it sends the next, so the statements of one `Promise.all` cost one round trip each. Here
// they are sent together, in the order in which they are issued, with `begin` before the first. Several decisions may share
// one transaction and its commit.
import {
  CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DummyDriver,
  type Kysely,
  PostgresDialect,
  SelectQueryNode,
  Transaction,
} from 'kysely';
import { DatabaseError } from 'pg';
import type { Deadlines } from './deadlines.ts';
import { isPlanOutdated } from './outdated-plan.ts';

export type TransactionOptions = Partial<Pick<Deadlines, 'statementMs' | 'lockMs'>> & {
  /** The transaction only reads, from one snapshot of the database. */
  isReadOnlySnapshot?: boolean;
};

/**
 * Decides within a transaction. It may run more than once: after a deadlock, after a schema change, or if the answer to
 * its commit was lost. So it must not change anything outside the transaction, and it must lock the rows that it
 * decides about before it reads them.
 */
export type RepeatableDecision<Tables, Result> = (tx: Transaction<Tables>) => Promise<Result>;

/** Thrown if a transaction that several decisions share was rolled back. Nothing that any of them wrote was committed. */
export class TakenBack extends Error {
  constructor(cause: unknown) {
    super('a transaction that several decisions shared was rolled back', { cause });
    this.name = 'TakenBack';
  }
}

/** Thrown if the answer to a commit was lost. The commit may have succeeded. */
export class CommitUnanswered extends Error {
  constructor(cause: unknown) {
    super('the database did not answer a commit: it may have succeeded', { cause });
    this.name = 'CommitUnanswered';
  }
}

const DEADLOCK_DETECTED = '40P01';
const LOCK_NOT_AVAILABLE = '55P03';

/** The maximum number of runs. Each further run needs another schema change or another deadlock. */
const MAX_RUNS = 10;

/**
 * Runs one decision in a transaction.
 * @param decide issues statements on the transaction that it receives. If it throws, all of them are rolled back. It runs again, in
 *   a new transaction, if the server refused the first one because of a schema change or a deadlock.
 * @throws what `decide` throws, or CommitUnanswered.
 */
export async function inDbTransaction<Tables, Result>(
  db: Kysely<Tables>,
  decide: RepeatableDecision<Tables, Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  for (let nth = 1; ; nth += 1) {
    const [settled] = await decideTogether(db, [decide], options);
    if (settled?.status === 'fulfilled') return settled.value;
    if (nth === MAX_RUNS || !isToRunAgain(settled?.reason)) throw settled?.reason;
  }
}

/**
 * Returns whether a transaction can run again. Nothing was written: the schema changed between its statements, or the server chose
 * it as the victim of a deadlock.
 */
export const isToRunAgain = (error: unknown): boolean =>
  isPlanOutdated(error) || hasCode(error, DEADLOCK_DETECTED);

export const isLockRefused = (error: unknown): boolean => hasCode(error, LOCK_NOT_AVAILABLE);

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/**
 * Runs independent decisions in one transaction and returns the result of each. A decision that fails before it
 * has written anything fails alone.
 * @throws TakenBack if one of several decisions failed otherwise, or CommitUnanswered. The failure of a single
 *   decision is returned, not thrown.
 */
export async function decideTogether<Tables, Result>(
  db: Kysely<Tables>,
  decisions: RepeatableDecision<Tables, Result>[],
  options: TransactionOptions = {},
): Promise<PromiseSettledResult<Result>[]> {
  // The inner transaction would commit only with the outer one.
  if (db.isTransaction) throw new Error('a transaction cannot begin another transaction');
  return db.getExecutor().provideConnection(async (connection) => {
    const { telling, failure } = tellingTheCause(connection);
    const shares = decisions.map((decide) => ({ decide, ...openShare(db, telling) }));
    // `begin` fails only if the connection fails, and then the first statement fails as well.
    send(connection, beginWith(options)).catch(() => undefined);
    const results = await Promise.allSettled(shares.map(({ decide, tx }) => decide(tx)));
    for (const share of shares) share.close();
    const spoilt = results.find(
      (result, nth) =>
        result.status === 'rejected' && (shares[nth]?.hasWritten() || result.reason instanceof DatabaseError),
    );
    if (spoilt === undefined) {
      await send(connection, 'commit').catch(throwUnanswered);
      const passedOver = failure();
      // After a failed statement the server answers a commit with a rollback and no error. This happens if
      // the decision ignored the failure.
      if (passedOver === null) return results;
      if (decisions.length > 1) throw new TakenBack(passedOver);
      return [{ status: 'rejected', reason: passedOver }];
    }
    // If the connection is gone, there is nothing to roll back.
    await send(connection, 'rollback').catch(() => undefined);
    if (decisions.length > 1) throw new TakenBack((spoilt as PromiseRejectedResult).reason);
    return results;
  });
}

/**
 * Runs statements on one connection without a database transaction. Statements that are issued together are sent in one packet.
 * @throws the first error of a statement.
 */
export async function onOneConnection<Tables, Result extends readonly unknown[]>(
  db: Kysely<Tables>,
  statements: (connection: Kysely<Tables>) => { [Nth in keyof Result]: Promise<Result[Nth]> },
): Promise<Result> {
  return db.getExecutor().provideConnection(async (connection) => {
    const share = openShare(db, connection);
    // The connection returns to the pool only after all its statements have settled.
    const results = await Promise.allSettled(statements(share.tx));
    share.close();
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    }) as unknown as Result;
  });
}

/**
 * Throws CommitUnanswered, unless the server itself refused the commit. A server that ends the connection
 * (classes 08 and 57) has not answered. Nor has a coordinator of Citus that lost a worker meanwhile (class XX).
 */
const throwUnanswered = (error: unknown): never => {
  throw error instanceof DatabaseError && !/^(?:08|57|XX)/.test(error.code ?? '')
    ? error
    : new CommitUnanswered(error);
};

/** Returns `begin` and its settings as one message. No caller waits for its answer. */
const beginWith = ({ isReadOnlySnapshot = false, statementMs, lockMs }: TransactionOptions): string =>
  [
    isReadOnlySnapshot ? 'begin isolation level repeatable read, read only' : 'begin',
    ...(statementMs === undefined ? [] : [`set local statement_timeout = ${statementMs}`]),
    ...(lockMs === undefined ? [] : [`set local lock_timeout = ${lockMs}`]),
  ].join('; ');

const send = (connection: DatabaseConnection, text: string): Promise<unknown> =>
  connection.executeQuery(CompiledQuery.raw(text));

/**
 * Reports the cause when one of several statements that were sent together fails. The statements behind it fail only because the
 * transaction is aborted. Here they fail with the first error, so that a caller sees the cause whichever statement it awaits.
 */
function tellingTheCause(connection: DatabaseConnection): {
  telling: DatabaseConnection;
  failure: () => DatabaseError | null;
} {
  let first: DatabaseError | null = null;
  const telling: DatabaseConnection = {
    executeQuery: async (query) => {
      try {
        return await connection.executeQuery(query);
      } catch (error) {
        if (error instanceof DatabaseError) first ??= error;
        throw isAborted(error) ? first : error;
      }
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
  return { telling, failure: () => first };
}

const isAborted = (error: unknown): boolean => error instanceof DatabaseError && error.code === '25P02';

/** One decision's view of a transaction. */
type Share<Tables> = { tx: Transaction<Tables>; hasWritten: () => boolean; close: () => void };

function openShare<Tables>(db: Kysely<Tables>, connection: DatabaseConnection): Share<Tables> {
  let isOver = false;
  let hasWritten = false;
  const observed: DatabaseConnection = {
    executeQuery: (query) => {
      hasWritten ||= !isRead(query);
      return connection.executeQuery(query);
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
  const provider: ConnectionProvider = {
    // A failed decision may issue a statement late. It must not reach the connection, which may already serve another transaction.
    provideConnection: (use) =>
      isOver ? Promise.reject(new Error('the transaction is over')) : use(observed),
  };
  return {
    tx: transactionOn(db, provider),
    hasWritten: () => hasWritten,
    close: () => {
      isOver = true;
    },
  };
}

/**
 * Returns whether a statement only reads: a `select` built by Kysely without a `with` before it. Any
 * other statement counts as a write.
 */
const isRead = ({ query }: CompiledQuery): boolean => SelectQueryNode.is(query) && query.with === undefined;

const transactionOn = <Tables>(db: Kysely<Tables>, provider: ConnectionProvider): Transaction<Tables> =>
  new Transaction<Tables>({
    config: { dialect },
    dialect,
    // The driver is never used, because the connection provider supplies the connection.
    driver: new DummyDriver(),
    executor: db.getExecutor().withConnectionProvider(provider),
  });

const dialect = new PostgresDialect({
  pool: () => Promise.reject(new Error('a transaction must not open a connection')),
});
