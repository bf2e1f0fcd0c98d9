// Jobs that the queue has given up on, because the process died or the database failed under them again and again. The
// decision behind them still stands, so they are taken up once more; those that a newer job has replaced are cleared away.
import type { Pool } from 'pg';

const REST_MINUTES = 10;

export async function reviveDeadJobs(pool: Pool): Promise<void> {
  // A job loses its key when it is replaced while under way.
  await pool.query(
    `with dead as (
       select id, key from graphile_worker._private_jobs
       where attempts >= max_attempts and locked_at is null
         and (key is null or updated_at < now() - make_interval(mins => $1))
     )
     select
       (select count(*) from graphile_worker.complete_jobs(array(select id from dead where key is null))),
       (select count(*) from graphile_worker.reschedule_jobs(
         array(select id from dead where key is not null), run_at := now(), attempts := 0::smallint))`,
    [REST_MINUTES],
  );
}
