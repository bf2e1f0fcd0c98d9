// The figures of the operators' `status`.
import { sql } from 'kysely';
import { chainBreaksFound } from '../audit-events/chain-breaks.ts';
import { prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';
import { isRotationUnfinished } from '../webhook-secrets/statements.ts';

/** Lists the processes that run work. Processes remove the row of another one whose heartbeat has stopped. */
export const listLivingWorkers = prepared.all(
  () => sql<{ name: string; since: Date }>`
    select name, started_at as since from processes
    where heartbeat_at > now() - interval '1 minute' order by started_at`,
);

/** Lists the paused types of effects, with the number of effects that wait. */
export const listPauses = prepared.all(
  () => sql<Pick<Entity<'EffectPause'>, 'type' | 'reason' | 'operator'> & { since: Date; waiting: number }>`
    select pause.type, pause.reason, pause.operator, pause.paused_at as since, coalesce(queued.waiting, 0) as waiting
    from effect_pauses as pause left join (
      select type::text as type, count(*) as waiting from effects where status = 'queued' group by 1
    ) as queued on queued.type = pause.type
    order by pause.paused_at`,
);

export const listOpenCircuits = prepared.all((db) =>
  db
    .selectFrom('OpenCircuit')
    .select(['process', 'openedAt', 'heartbeatAt as seenAt', 'reason'])
    .orderBy('openedAt'),
);

export const listLastRuns = prepared.all(
  () => sql<
    Pick<Entity<'JobRun'>, 'job' | 'run' | 'counts' | 'updatedAt' | 'finishedAt'> & { startedAt: Date }
  >`
    select distinct on (job) job, run, counts, started_at, updated_at, finished_at from job_runs
    where started_at is not null
    order by job, started_at desc`,
);

export const countRotationsAndBreaks = prepared.first(
  () => sql<{ rotations: number; breaks: number }>`
    select ${chainBreaksFound} as breaks,
      (select count(*) from webhook_secrets where ${isRotationUnfinished}) as rotations`,
);
