// Creates the connection pools. 64-bit integers arrive as numbers. Every wait has a limit: for a connection, for a lock and
// for an answer (see deadlines.ts).
import type { PostgresPool } from 'kysely';
import { Pool, type PoolConfig, TypeOverrides } from 'pg';
import { type ConnectionSettings, PreparingClient } from './client.ts';
import { type Deadlines, optionsOf, servingDeadlines } from './deadlines.ts';
import { refuseServerInRecovery } from './read-only-server.ts';
import { createStatementNames } from './statement-names.ts';

const INT8 = 20;

/** The limit for getting a free connection or opening a new one. */
const CONNECTED_WITHIN_MS = 5_000;
/** How much longer than the server's own deadline the client waits for an answer. */
const ON_THE_WAY_MS = 1_000;
/**
 * How long a connection lives, and with it the plans of its statements. A plan made while a table was small reads the whole table,
 * even after the table has grown, until autovacuum has counted its rows.
 */
const LIVES_SECONDS = 60;
/** The delay before TCP keep-alive probes an idle connection. The probes detect a peer that sends no bytes at all. */
const KEEP_ALIVE_AFTER_MS = 5_000;

/** What is behind a connection string. */
export type Behind = {
  /**
   * A pooler in transaction mode refuses start-up options and does not support prepared statements. The server's deadlines are then
   * settings of the role (see role-deadlines.ts).
   */
  pooler?: 'none' | 'transaction';
  /**
   * One server plans a statement once: every statement uses keys, so the plan suits all values. A distributed engine plans with the
   * values, because they name the server.
   */
  plans?: 'generic' | 'custom';
  /** The schemas in which statements find tables, separated by commas. Without it, the role's setting applies. */
  searchPath?: string;
};

/**
 * Creates a pool. Connections are opened when they are needed.
 * @param max the maximum number of connections.
 * @param behind what the connections lead to.
 * @param livesSeconds how long a connection lives. A connection in use ends when it is released.
 */
export function createPool(
  connectionString: string,
  max: number,
  deadlines: Deadlines = servingDeadlines,
  { pooler = 'none', plans = 'generic', searchPath }: Behind = {},
  livesSeconds = LIVES_SECONDS,
): Pool {
  const types = new TypeOverrides();
  types.setTypeParser(INT8, safeInteger);
  const connected = new Set<PreparingClient>();
  const answerMs = deadlines.statementMs > 0 ? deadlines.statementMs + ON_THE_WAY_MS : 0;
  const path = searchPath === undefined ? '' : ` -c search_path=${searchPath}`;
  const options = `-c plan_cache_mode=force_${plans}_plan ${optionsOf(deadlines)}${path}`;
  const settings: PoolConfig & ConnectionSettings & { pipeline: boolean } = {
    connectionString,
    max,
    maxLifetimeSeconds: livesSeconds,
    types,
    connectionTimeoutMillis: CONNECTED_WITHIN_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    application_name: 'ponte',
    // The driver's pipeline mode: statements that a transaction issues together are sent together (see db-transaction.ts).
    pipeline: true,
    ...(pooler === 'none' && { options }),
    answerMs,
    statementNames: pooler === 'none' ? createStatementNames() : createStatementNames(0),
    // If one connection is frozen, the others most likely are as well. Connections that have received nothing for a
    // while end with it; otherwise one request after the other would run into the next frozen one. Ending a healthy
    // connection costs one reconnection.
    onSilence: () => {
      for (const client of connected) client.deadline.endIfSilentFor(answerMs / 3);
    },
    Client: PreparingClient,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, which pg's types do not say
    onConnect: refuseServerInRecovery,
  };
  const pool = new Pool(settings);
  // A connection that the server drops must not end the process. The query in flight rejects in any case.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    if (!(client instanceof PreparingClient)) return;
    connected.add(client);
    client.once('end', () => connected.delete(client));
  });
  return pool;
}

/**
 * Measures how long the statements of a process wait for a connection of a pool. The wait grows when the pool is too small, or when
 * PostgreSQL accepts no further connections.
 * @param waited called when a connection was received or refused.
 * @returns the pool for everything that sends statements.
 */
export const observedPool = (pool: PostgresPool, waited: (seconds: number) => void): PostgresPool => ({
  options: pool.options,
  connect: async () => {
    const askedAt = performance.now();
    try {
      return await pool.connect();
    } finally {
      waited((performance.now() - askedAt) / 1_000);
    }
  },
  end: () => pool.end(),
});

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('a 64-bit integer beyond what a number can hold');
  return value;
}
