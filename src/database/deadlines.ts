// How long the database may take, and for whom. The server ends what takes longer by itself and says so; a connection that
// owes an answer for a second more is frozen, and the client ends it (see patches/answer-deadline.ts).

export type Deadlines = {
  /** One statement, waiting for locks included. 0, here and below, is no limit. */
  statementMs: number;
  /** Waiting for one lock. */
  lockMs: number;
  /** A transaction between two statements: it holds locks, and the process that opened it may be gone. */
  idleInTransactionMs: number;
  /** A session without a transaction: the pool closes it long before, so its client is gone. */
  idleSessionMs: number;
};

/** Requests, callbacks, effects and the worker's recurring work: a caller waits, and every statement uses an index. */
export const servingDeadlines: Deadlines = {
  statementMs: 5_000,
  lockMs: 5_000,
  idleInTransactionMs: 5_000,
  idleSessionMs: 30_000,
};

/**
 * Nightly jobs and operators' commands: reconciliation, purges, erasure, exports, key rotation, lists. Some of their
 * statements read a whole table. Requests wait for what they lock: that stays short.
 */
export const batchDeadlines: Deadlines = { ...servingDeadlines, statementMs: 60_000 };

/** No deadlines: for programs that fill, copy or read a whole database (benchmarks, the proof, tests). */
export const noDeadlines: Deadlines = { statementMs: 0, lockMs: 0, idleInTransactionMs: 0, idleSessionMs: 0 };

/**
 * Migrations take as long as they need. Every request that needs the same table waits behind a migration that waits for a lock, so
 * that wait is shorter than a request's.
 */
export const migrationDeadlines: Deadlines = { ...noDeadlines, lockMs: 2_000 };

/** As a connection's start-up options. Sent also where there is no limit, because a role or a server may have limits set. */
export const optionsOf = ({ statementMs, lockMs, idleInTransactionMs, idleSessionMs }: Deadlines): string =>
  [
    `-c statement_timeout=${statementMs}`,
    `-c lock_timeout=${lockMs}`,
    `-c idle_in_transaction_session_timeout=${idleInTransactionMs}`,
    `-c idle_session_timeout=${idleSessionMs}`,
  ].join(' ');

/**
 * As settings of the service's role, for connections that bring no options: those through a pooler. One role serves requests
 * and nightly jobs, so a statement may take as long as a job's; the client gives up a request's sooner, and the server then
 * ends it because its client is gone. The pooler keeps idle sessions, so they have no limit.
 */
export const roleSettings = {
  statement_timeout: `${batchDeadlines.statementMs}ms`,
  lock_timeout: `${servingDeadlines.lockMs}ms`,
  idle_in_transaction_session_timeout: `${servingDeadlines.idleInTransactionMs}ms`,
  client_connection_check_interval: '1s',
};
