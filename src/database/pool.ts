// One connection pool for the ORM and for typed SQL alike; 64-bit integers arrive as numbers.
import { Pool, TypeOverrides } from 'pg';

const INT8 = 20;

/** @param max how many connections at most. */
export function createPool(connectionString: string, max: number): Pool {
  const types = new TypeOverrides();
  types.setTypeParser(INT8, safeInteger);
  const pool = new Pool({
    connectionString,
    max,
    types,
    connectionTimeoutMillis: 5_000,
    application_name: 'ponte',
  });
  // A connection that the server drops must not bring the process down: the query in flight already rejects.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('a 64-bit integer beyond what a number can hold');
  return value;
}
