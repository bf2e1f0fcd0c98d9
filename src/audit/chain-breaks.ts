// How many breaks of the audit record's chain the last night found: for the metrics and the operators' status.
import { sql } from 'kysely';

export const VERIFY_JOB = 'audit-verify';
/** What they are counted as in its runs. */
export const CHAIN_BREAKS = 'breaks';

/** A number, in a query; nothing was found where no night has looked yet. */
export const chainBreaksFound = sql<number>`coalesce((
  select (counts ->> ${CHAIN_BREAKS})::int from job_runs
  where job = ${VERIFY_JOB} and finished_at is not null
  order by finished_at desc limit 1
), 0)`;
