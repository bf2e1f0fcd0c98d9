// How many breaks of the audit record's chain the last verification found: for the metrics and the operators' status.
import { sql } from 'kysely';

export const VERIFY_JOB = 'audit-verify';
/** The counter's name in the job's runs. */
export const CHAIN_BREAKS = 'breaks';

/** A count, for use in a statement; zero until a verification has run. */
export const chainBreaksFound = sql<number>`coalesce((
  select (counts ->> ${sql.lit(CHAIN_BREAKS)})::int from job_runs
  where job = ${sql.lit(VERIFY_JOB)} and finished_at is not null
  order by finished_at desc limit 1
), 0)`;
