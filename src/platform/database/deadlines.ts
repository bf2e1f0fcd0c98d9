// Sets how long the database may take, and for whom. The server ends a statement that takes longer and reports it. A connection
// that owes an answer for one second more is frozen, and the client ends it (patches/answer-deadline.ts).

export type Deadlines = {
  /** The time of one statement, including its waits for locks. 0 means no limit, here and below. */
  statementMs: number;
  /** The wait for one lock. */
  lockMs: number;
  /**
   * The time between two statements of a transaction. An idle transaction holds locks, and the process that opened it may be gone.
   */
  idleInTransactionMs: number;
  /** The idle time of a session without a transaction. The pool closes such a session much earlier, so its client is gone. */
  idleSessionMs: number;
};

/**
 * Deadlines of requests, callbacks, effects and the worker's recurring work. A caller waits for them, and
 * every statement uses an index.
 */
export const servingDeadlines: Deadlines = {
  statementMs: 5_000,
  lockMs: 5_000,
  idleInTransactionMs: 5_000,
  idleSessionMs: 30_000,
};

/**
 * Deadlines of nightly jobs and operators' commands: reconciliation, purges, erasure, exports, key rotation, lists. Some of their
 * statements read a whole table. The deadlines for locks stay short, because requests wait for the rows that these jobs lock.
 */
export const batchDeadlines: Deadlines = { ...servingDeadlines, statementMs: 60_000 };

/** No deadlines, for programs that fill, copy or read a whole database (benchmarks, the proof, tests). */
export const noDeadlines: Deadlines = { statementMs: 0, lockMs: 0, idleInTransactionMs: 0, idleSessionMs: 0 };

/**
 * Deadlines of migrations. A migration may take as long as it needs. While it waits for a table lock, every request that needs that
 * table waits behind it, so its wait for a lock is shorter than a request's.
 */
export const migrationDeadlines: Deadlines = { ...noDeadlines, lockMs: 2_000 };

/**
 * Returns the deadlines as start-up options of a connection. No limit is sent as 0, because a role or a server may have limits set.
 */
export const optionsOf = ({ statementMs, lockMs, idleInTransactionMs, idleSessionMs }: Deadlines): string =>
  [
    `-c statement_timeout=${statementMs}`,
    `-c lock_timeout=${lockMs}`,
    `-c idle_in_transaction_session_timeout=${idleInTransactionMs}`,
    `-c idle_session_timeout=${idleSessionMs}`,
  ].join(' ');

/**
 * The deadlines as settings of the service's role, for connections through a pooler, which cannot send start-up options. One role
 * serves requests and nightly jobs, so a statement may take as long as a job's. For a request, the client gives up earlier, and the
 * server then ends the statement because its client is gone. Idle sessions have no limit, because the pooler keeps them.
 */
export const roleSettings = {
  statement_timeout: `${batchDeadlines.statementMs}ms`,
  lock_timeout: `${servingDeadlines.lockMs}ms`,
  idle_in_transaction_session_timeout: `${servingDeadlines.idleInTransactionMs}ms`,
  client_connection_check_interval: '1s',
};
