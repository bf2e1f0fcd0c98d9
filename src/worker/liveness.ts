// A worker that dies leaves its jobs locked, and the queue itself would keep them so for hours. So every worker holds a
// session lock of the database for as long as it lives, and the living free the jobs of those whose lock is gone.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';

/** A lock that is gone for less may belong to a worker that has just begun, or lost its connection a moment ago. */
const CERTAIN_MS = 4_000;
const HOLD_AGAIN_MS = 500;
/** How often its connection is asked for the lock again, so that a frozen one is found out by its deadline. */
const ASK_AGAIN_MS = 2_000;

/**
 * Holds `workerId`'s lock until released; takes it again by itself whenever its connection is lost.
 * @param beat called every two seconds while it is held.
 */
export function holdLiveness(
  pool: Pool,
  workerId: string,
  beat: () => void = () => undefined,
): { release: () => Promise<void> } {
  const ended = new AbortController();

  /** @returns once the connection that held the lock is gone, or is no longer wanted. */
  const hold = async (): Promise<void> => {
    const connection = await pool.connect();
    try {
      const gone = new AbortController();
      connection.once('end', () => gone.abort());
      const signal = AbortSignal.any([ended.signal, gone.signal]);
      while (!signal.aborted && (await lock(connection, workerId))) {
        beat();
        await pause(ASK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
      }
    } finally {
      connection.release(true);
    }
  };

  const holding = (async () => {
    while (!ended.signal.aborted) {
      await hold().catch(() => undefined);
      await pause(HOLD_AGAIN_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  })();

  return {
    release: async () => {
      ended.abort();
      await holding;
    },
  };
}

/**
 * Not by waiting for it: the session that had it may be a connection of ours that is still to be found dead. A session that
 * has it already gets it once more, and lets go of all of it when it ends.
 */
async function lock(connection: PoolClient, workerId: string): Promise<boolean> {
  const { rows } = await connection.query<{ held: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as held',
    [workerId],
  );
  return rows[0]?.held === true;
}

/** This process's runners that have ended, by id, and when on `performance.now()`: long ago where none of their jobs is in hand. */
export type Ended = Map<string, number>;

/**
 * @returns what frees every job held by a worker that no longer lives, when run again and again. Any number of processes
 * may do so; a worker is only taken for dead after its lock has been seen free for a while.
 * @param ended dead whatever their locks say: a frozen session may hold one until the server finds it out.
 */
export function createUndertaker(pool: Pool, ownWorkerId: string, ended: Ended): () => Promise<void> {
  const seenDeadAt = new Map(ended);
  return async () => {
    const now = performance.now();
    const dead = await deadWorkers(pool, ownWorkerId, [...ended.keys()]);
    for (const workerId of seenDeadAt.keys()) if (!dead.includes(workerId)) seenDeadAt.delete(workerId);
    for (const workerId of dead) if (!seenDeadAt.has(workerId)) seenDeadAt.set(workerId, now);
    const certain = dead.filter((workerId) => now - (seenDeadAt.get(workerId) ?? now) >= CERTAIN_MS);
    if (certain.length > 0)
      await pool.query('select graphile_worker.force_unlock_workers($1::text[])', [certain]);
  };
}

async function deadWorkers(pool: Pool, ownWorkerId: string, ended: string[]): Promise<string[]> {
  const { rows } = await pool.query<{ locked_by: string }>(
    `select locked_by
     from (select distinct locked_by from graphile_worker._private_jobs where locked_by is not null) holder
     where locked_by <> $1
       and (locked_by = any($2::text[]) or pg_try_advisory_xact_lock(hashtextextended(locked_by, 0)))`,
    [ownWorkerId, ended],
  );
  return rows.map((row) => row.locked_by);
}
