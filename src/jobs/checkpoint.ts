// The position at which a job's last finished run ended. The next run begins there.
import type { Db } from '../platform/database/orm.ts';
import { findLastCheckpoint } from '../platform/sql/job-runs.ts';

export const checkpointOfLastRun = async (db: Db, job: string): Promise<string | null> =>
  (await findLastCheckpoint(db, { job }))?.checkpoint ?? null;
