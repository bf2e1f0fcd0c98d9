// The service's transactions: their statements are sent as they are issued. Kysely's own waits for the answer to each before it
// sends the next, so statements of one `Promise.all` are round trips one after the other; here they leave together, in the order
// in which they are issued, with `begin` in front of the first. Several decisions may share one transaction, and so one commit.
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

/** How a transaction differs from others of its connection. */
export type TransactionOptions = Partial<Pick<Deadlines, 'statementMs' | 'lockMs'>> & {
  /** It only reads, all of it from one snapshot of the database. */
  isReadOnlySnapshot?: boolean;
};

/**
 * Decides within a transaction. It may run more than once: after a deadlock, after a schema change, or when the answer to its
 * commit was lost. So it changes nothing outside the transaction, and it locks what it decides about before it reads it.
 */
export type RepeatableDecision<Tables, Result> = (tx: Transaction<Tables>) => Promise<Result>;

/** Thrown when decisions that shared a transaction were taken back together: nothing of any of them was written. */
export class TakenBack extends Error {
  constructor(cause: unknown) {
    super('a transaction that several decisions shared was taken back', { cause });
    this.name = 'TakenBack';
  }
}

/** Thrown when the answer to a commit was lost: it may have been carried out. */
export class CommitUnanswered extends Error {
  constructor(cause: unknown) {
    super('the database has not answered a commit: it may have been carried out', { cause });
    this.name = 'CommitUnanswered';
  }
}

const DEADLOCK_DETECTED = '40P01';
/** `lock_not_available`: the wait for a lock took longer than `lock_timeout`. */
export const LOCK_NOT_AVAILABLE = '55P03';

/** Each run but the last met another schema change or another deadlock. */
const MOST_RUNS = 10;

/**
 * @param decide issues statements on the transaction it is given; when it throws, all of them are taken back. It runs again, in a
 *   new transaction, when the server took the first one back for a schema change or a deadlock.
 * @throws what `decide` throws, or CommitUnanswered.
 */
export async function inTransaction<Tables, Result>(
  db: Kysely<Tables>,
  decide: RepeatableDecision<Tables, Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  for (let nth = 1; ; nth += 1) {
    const [settled] = await decideTogether(db, [decide], options);
    if (settled?.status === 'fulfilled') return settled.value;
    if (nth === MOST_RUNS || !isToRunAgain(settled?.reason)) throw settled?.reason;
  }
}

/** Nothing was written: a schema change came between the statements, or another transaction of a deadlock goes on meanwhile. */
export const isToRunAgain = (error: unknown): boolean =>
  isPlanOutdated(error) || (error instanceof Error && 'code' in error && error.code === DEADLOCK_DETECTED);

/**
 * Decisions that do not depend on one another, each with its own result, in one commit. One that fails before it has written
 * anything fails alone.
 * @throws TakenBack when one of several failed otherwise, or CommitUnanswered. A single one that fails is no error of this
 *   function.
 */
export async function decideTogether<Tables, Result>(
  db: Kysely<Tables>,
  decisions: RepeatableDecision<Tables, Result>[],
  options: TransactionOptions = {},
): Promise<PromiseSettledResult<Result>[]> {
  // Its commit would be the outer one's.
  if (db.isTransaction) throw new Error('a transaction begins no other one');
  return db.getExecutor().provideConnection(async (connection) => {
    const { telling, failure } = tellingTheCause(connection);
    const shares = decisions.map(() => openShare(db, telling));
    // It fails only with its connection, and then the first statement fails, too.
    send(connection, beginWith(options)).catch(() => undefined);
    const results = await Promise.allSettled(
      decisions.map((decide, nth) => decide((shares[nth] as Share<Tables>).tx)),
    );
    for (const share of shares) share.close();
    const spoilt = results.find(
      (result, nth) =>
        result.status === 'rejected' && (shares[nth]?.hasWritten() || result.reason instanceof DatabaseError),
    );
    if (spoilt === undefined) {
      await send(connection, 'commit').catch(throwUnanswered);
      const passedOver = failure();
      // Where a statement failed, the server rolls back and reports no error, although the decision went on.
      if (passedOver === null) return results;
      if (decisions.length > 1) throw new TakenBack(passedOver);
      return [{ status: 'rejected', reason: passedOver }];
    }
    // Where the connection is gone there is nothing to roll back.
    await send(connection, 'rollback').catch(() => undefined);
    if (decisions.length > 1) throw new TakenBack((spoilt as PromiseRejectedResult).reason);
    return results;
  });
}

/**
 * Runs statements on one connection without a database transaction. Those that are issued together are sent in one packet.
 * @throws the first error of a statement.
 */
export async function onOneConnection<Tables, Result extends readonly unknown[]>(
  db: Kysely<Tables>,
  statements: (connection: Kysely<Tables>) => { [Nth in keyof Result]: Promise<Result[Nth]> },
): Promise<Result> {
  return db.getExecutor().provideConnection(async (connection) => {
    const share = openShare(db, connection);
    // The connection goes back to the pool only when no statement uses it any more.
    const results = await Promise.allSettled(statements(share.tx));
    share.close();
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    }) as unknown as Result;
  });
}

/** The server's own refusal is an answer, unless it is that the server ends the connection. */
const throwUnanswered = (error: unknown): never => {
  throw error instanceof DatabaseError && !/^(?:08|57)/.test(error.code ?? '')
    ? error
    : new CommitUnanswered(error);
};

/** One message, whose answer nothing waits for. */
const beginWith = ({ isReadOnlySnapshot = false, statementMs, lockMs }: TransactionOptions): string =>
  [
    isReadOnlySnapshot ? 'begin isolation level repeatable read, read only' : 'begin',
    ...(statementMs === undefined ? [] : [`set local statement_timeout = ${statementMs}`]),
    ...(lockMs === undefined ? [] : [`set local lock_timeout = ${lockMs}`]),
  ].join('; ');

const send = (connection: DatabaseConnection, text: string): Promise<unknown> =>
  connection.executeQuery(CompiledQuery.raw(text));

/**
 * Of statements that were sent together, the one that failed says why; those behind it say only that the transaction is
 * aborted. Such a statement fails with the first one's error, too, so that callers see it whichever they wait for.
 */
function tellingTheCause(connection: DatabaseConnection): {
  telling: DatabaseConnection;
  /** The first error of a statement, if there was one. */
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

/** `in_failed_sql_transaction`. */
const isAborted = (error: unknown): boolean => error instanceof DatabaseError && error.code === '25P02';

/** What one decision has of a transaction. */
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
    // A statement that a failed decision issues late must not reach the connection: it may be another transaction's by then.
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

/** A built `select` only reads, unless a `with` in front of it writes. Any other statement counts as a write. */
const isRead = ({ query }: CompiledQuery): boolean => SelectQueryNode.is(query) && query.with === undefined;

const transactionOn = <Tables>(db: Kysely<Tables>, provider: ConnectionProvider): Transaction<Tables> =>
  new Transaction<Tables>({
    config: { dialect },
    dialect,
    // Never asked: the connection is given.
    driver: new DummyDriver(),
    executor: db.getExecutor().withConnectionProvider(provider),
  });

const dialect = new PostgresDialect({
  pool: () => Promise.reject(new Error('a transaction opens no connection of its own')),
});
