// The database's clock. Decisions that cannot be undone use it, because the clock of one process may be hours or days wrong: what a
// night lists, what is removed for good, when a person is erased, and when a failed payout may be returned.

import { CompiledQuery, type QueryExecutorProvider } from 'kysely';

type Reading = CompiledQuery<{ now: Date }>;
const CURRENT_TRANSACTION = CompiledQuery.raw('select now() as now') as Reading;
const CURRENT_STATEMENT = CompiledQuery.raw('select clock_timestamp() as now') as Reading;

/**
 * A moment by the database's clock. It begins with `DatabaseTime.read` and cannot be made from a `Date`, so a function that takes one
 * cannot be given the time of a process. As a parameter of a statement it is a `timestamptz`.
 */
export class DatabaseTime {
  readonly #ms: number;

  private constructor(ms: number) {
    this.#ms = ms;
  }

  /** Reads the time at which the connection's database transaction began, or of now outside a transaction. */
  static read(db: QueryExecutorProvider): Promise<DatabaseTime> {
    return DatabaseTime.#select(db, CURRENT_TRANSACTION);
  }

  /** Reads the time at which the statement begins. Within a transaction it follows the statements that were sent before. */
  static readNow(db: QueryExecutorProvider): Promise<DatabaseTime> {
    return DatabaseTime.#select(db, CURRENT_STATEMENT);
  }

  static async #select(db: QueryExecutorProvider, query: Reading): Promise<DatabaseTime> {
    // The statement has no names to translate. MikroORM's plugin would take longer than the server.
    const { rows } = await db.getExecutor().withoutPlugins().executeQuery(query);
    const [row] = rows;
    if (!row) throw new Error('the database returned no time');
    return new DatabaseTime(row.now.getTime());
  }

  /** Returns the moment this many milliseconds later, or earlier with a negative number. */
  plus(ms: number): DatabaseTime {
    return new DatabaseTime(this.#ms + ms);
  }

  /**
   * Returns the same moment of the calendar so many years later, in UTC. 29 February becomes 28 February in a year without it.
   */
  plusYears(years: number): DatabaseTime {
    const moved = this.toDate();
    const month = moved.getUTCMonth();
    moved.setUTCFullYear(moved.getUTCFullYear() + years);
    if (moved.getUTCMonth() !== month) moved.setUTCDate(0);
    return new DatabaseTime(moved.getTime());
  }

  /** Returns the beginning of the day, in UTC. */
  startOfDay(): DatabaseTime {
    const day = this.toDate();
    return new DatabaseTime(day.setUTCHours(0, 0, 0, 0));
  }

  isBefore(moment: Date | DatabaseTime): boolean {
    return this.msUntil(moment) > 0;
  }

  /** Returns the milliseconds until a moment. Negative if it has passed. */
  msUntil(moment: Date | DatabaseTime): number {
    return (moment instanceof Date ? moment.getTime() : moment.#ms) - this.#ms;
  }

  /** Returns the moment for a row, a request to the provider or a text. */
  toDate(): Date {
    return new Date(this.#ms);
  }

  /** node-postgres sends the result as the value of the parameter. */
  toPostgres(): Date {
    return this.toDate();
  }
}

/** How long one reading of the clock is used. */
const RECENT_MS = 1_000;

/** Returns a reading of the database's clock that is at most a second old. */
export type RecentTime = () => Promise<DatabaseTime>;

/** Reads the database's clock once a second, for what may be a second early: the order of work, not a decision about money. */
export function createRecentTime(db: QueryExecutorProvider): RecentTime {
  const read = createReading(db);
  return async () => (await read()).time;
}

/** Returns how long ago a moment was, in milliseconds by the database's clock. */
export type AgeOf = (moment: Date) => Promise<number>;

/**
 * Measures ages without a statement for each. A reading of the database's clock is counted on for a second, by the monotonic clock of
 * this process, so an age may be too high by the time that the reading took. It is a number, because no decision that needs a
 * DatabaseTime may rest on it.
 */
export function createAgeOf(db: QueryExecutorProvider): AgeOf {
  const read = createReading(db);
  return async (moment) => {
    const { time, askedAtMs } = await read();
    return performance.now() - askedAtMs - time.msUntil(moment);
  };
}

type Noted = { time: DatabaseTime; askedAtMs: number };

function createReading(db: QueryExecutorProvider): () => Promise<Noted> {
  let last: Noted | null = null;
  return async () => {
    const nowMs = performance.now();
    if (last === null || nowMs - last.askedAtMs > RECENT_MS)
      last = { time: await DatabaseTime.read(db), askedAtMs: nowMs };
    return last;
  };
}

/** The database's clock as a dependency, so that tests can shift it. */
export type DatabaseClock = { now: (db: QueryExecutorProvider) => Promise<DatabaseTime> };

export const systemDatabaseClock: DatabaseClock = { now: (db) => DatabaseTime.read(db) };
