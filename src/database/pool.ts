// One connection pool for the ORM and for typed SQL alike; 64-bit integers arrive as numbers. Every wait has an end: for
// a connection, for a lock, for an answer (see deadlines.ts).
import { Pool, type PoolConfig, TypeOverrides } from 'pg';
import type { Pooler } from '../config/config.ts';
import { type ConnectionSettings, PreparingClient } from './client.ts';
import { type Deadlines, optionsOf, servingDeadlines } from './deadlines.ts';
import { createStatementNames } from './statement-names.ts';

const INT8 = 20;

/** For a free connection as well as for a new one. */
const CONNECTED_WITHIN_MS = 5_000;
/** How much longer than the server's own deadline an answer may take on its way. */
const ON_THE_WAY_MS = 1_000;
/**
 * How long a connection lives, and with it the plans of its statements. A plan that was made while a table was small reads all of
 * it, also when the table has grown, until autovacuum has counted its rows.
 */
const LIVES_SECONDS = 60;
/** TCP keep-alive of an idle connection: detects a peer that sends no bytes at all. */
const KEEP_ALIVE_AFTER_MS = 5_000;

/**
 * @param max how many connections at most.
 * @param pooler between here and the server. One that lends a server connection for one transaction refuses start-up options
 *   and knows no prepared statements; the server's deadlines are then settings of the role (see role-deadlines.ts).
 * @param livesSeconds how long a connection lives at most. One that is in use ends when it is given back.
 */
export function createPool(
  connectionString: string,
  max: number,
  deadlines: Deadlines = servingDeadlines,
  pooler: Pooler = 'none',
  livesSeconds = LIVES_SECONDS,
): Pool {
  const types = new TypeOverrides();
  types.setTypeParser(INT8, safeInteger);
  const connected = new Set<PreparingClient>();
  const answerMs = deadlines.statementMs > 0 ? deadlines.statementMs + ON_THE_WAY_MS : 0;
  const settings: PoolConfig & ConnectionSettings & { pipeline: boolean } = {
    connectionString,
    max,
    maxLifetimeSeconds: livesSeconds,
    types,
    connectionTimeoutMillis: CONNECTED_WITHIN_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    application_name: 'ponte',
    // The driver's own mode: what a transaction issues together is sent together (see transaction.ts).
    pipeline: true,
    // Every statement of ours uses keys, so one plan is good for all values; planning each time costs more than it gains.
    ...(pooler === 'none' && { options: `-c plan_cache_mode=force_generic_plan ${optionsOf(deadlines)}` }),
    answerMs,
    statementNames: pooler === 'none' ? createStatementNames() : createStatementNames(0),
    // Where one connection is frozen the others most likely are. Those that have brought nothing lately are given up with
    // it, or one request after the other would run into the next of them: a healthy one among them costs a reconnection.
    onSilence: () => {
      for (const client of connected) client.deadline.endIfSilentFor(answerMs / 3);
    },
    Client: PreparingClient,
  };
  const pool = new Pool(settings);
  // A connection that the server drops must not bring the process down: the query in flight already rejects.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    if (!(client instanceof PreparingClient)) return;
    connected.add(client);
    client.once('end', () => connected.delete(client));
  });
  return pool;
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('a 64-bit integer beyond what a number can hold');
  return value;
}
