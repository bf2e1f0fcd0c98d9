// The position at which a job's last finished run ended. The next run begins there.
import type { Db } from '../database/orm.ts';
import { findLastCheckpoint } from '../sql/job-runs.ts';

export const checkpointOfLastRun = async (db: Db, job: string): Promise<string | null> =>
  (await findLastCheckpoint(db, { job }))?.checkpoint ?? null;
