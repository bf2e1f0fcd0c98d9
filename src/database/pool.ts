// One connection pool for the ORM and for typed SQL alike; 64-bit integers arrive as numbers. Statements are prepared
// once for each connection and sent without waiting for the answer to the one before: what a transaction writes together
// travels together.
import type { Socket } from 'node:net';
import { Client, type ClientConfig, Pool, type PoolConfig, TypeOverrides } from 'pg';

const INT8 = 20;

/** Statements are few, being written in the code; should they ever be made at run time, the rest goes unprepared. */
const MOST_PREPARED = 1_000;

/** @param max how many connections at most. */
export function createPool(connectionString: string, max: number): Pool {
  const types = new TypeOverrides();
  types.setTypeParser(INT8, safeInteger);
  const settings: PoolConfig & { pipeline: boolean } = {
    connectionString,
    max,
    types,
    connectionTimeoutMillis: 5_000,
    application_name: 'ponte',
    pipeline: true,
    // Every statement of ours goes by keys, so one plan is good for all values; making one each time costs more than it.
    options: '-c plan_cache_mode=force_generic_plan',
    Client: PreparingClient,
  };
  const pool = new Pool(settings);
  // A connection that the server drops must not bring the process down: the query in flight already rejects.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

// A migration beside a running service can change what a prepared `select *` returns. The server then refuses the
// statement for as long as it goes by its old name, so all of them get new ones.
const CHANGED_UNDER_US = '0A000';
let generation = 1;
let names = new Map<string, string>();

function renameAll(): void {
  generation += 1;
  names = new Map();
}

/** The name a statement is prepared under, the same on every connection; null when there are too many. */
function nameOf(text: string): string | null {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= MOST_PREPARED) return null;
  const name = `s${generation}_${names.size + 1}`;
  names.set(text, name);
  return name;
}

class PreparingClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    const send = super.query.bind(this) as (...asked: unknown[]) => Promise<unknown> | undefined;
    const { connection } = this as unknown as { connection: { stream: Socket } };
    let isGathering = false;
    const query = (...asked: unknown[]) => {
      // What is asked in one go leaves in one packet, and is woken up for once at the other end.
      if (!isGathering) {
        isGathering = true;
        // Taken anew each time: with TLS, the first one is replaced.
        const { stream } = connection;
        stream.cork();
        process.nextTick(() => {
          isGathering = false;
          stream.uncork();
        });
      }
      return send(...asked);
    };
    // Only statements with values: the others (begin, commit) gain nothing by it.
    const prepared = (text: unknown, values?: unknown, ...rest: unknown[]) => {
      const isPlain = typeof text === 'string' && Array.isArray(values) && values.length > 0;
      const name = isPlain ? nameOf(text) : null;
      if (name === null) return query(text, values, ...rest);
      return query({ name, text, values }, ...rest)?.catch((error: unknown) => {
        if ((error as { code?: unknown }).code === CHANGED_UNDER_US) renameAll();
        throw error;
      });
    };
    Object.assign(this, { query: prepared });
  }
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('a 64-bit integer beyond what a number can hold');
  return value;
}
