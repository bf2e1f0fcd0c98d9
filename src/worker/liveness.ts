// A worker that dies leaves its jobs locked, and the queue itself would keep them so for hours. So every worker holds a
// session lock of the database for as long as it lives, and the living free the jobs of those whose lock is gone.
import type { Pool, PoolClient } from 'pg';

/** Long enough for a worker that has just begun to have taken its lock. */
const SETTLING_SECONDS = 3;

/** Holds `workerId`'s lock until released; taken again by itself when the connection is lost. */
export async function holdLiveness(pool: Pool, workerId: string): Promise<{ release: () => void }> {
  let released = false;
  let client: PoolClient | null = null;

  const hold = async (): Promise<void> => {
    const connection = await pool.connect();
    client = connection;
    connection.once('error', () => void regain());
    await connection.query('select pg_advisory_lock(hashtextextended($1, 0))', [workerId]);
  };

  const regain = async (): Promise<void> => {
    client?.release(true);
    client = null;
    while (!released) {
      try {
        return await hold();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    }
  };

  await hold();
  return {
    release: () => {
      released = true;
      client?.release(true);
      client = null;
    },
  };
}

/** Frees every job held by a worker that no longer lives. Safe to run anywhere, at any time, by anybody. */
export async function freeJobsOfTheDead(pool: Pool, ownWorkerId: string): Promise<void> {
  await pool.query(
    `select graphile_worker.force_unlock_workers(array_agg(holder.locked_by))
     from (
       select distinct locked_by from graphile_worker._private_jobs
       where locked_by is not null and locked_at < now() - make_interval(secs => $2)
     ) holder
     where holder.locked_by <> $1 and pg_try_advisory_xact_lock(hashtextextended(holder.locked_by, 0))
     having count(*) > 0`,
    [ownWorkerId, SETTLING_SECONDS],
  );
}
