// The data of `status`, read from the database in a few statements.
import { sql } from 'kysely';
import { awaitsUser } from '../../../machines/states.ts';
import type { App } from '../../app.ts';
import { chainBreaksFound } from '../../audit/chain-breaks.ts';
import { oneOf } from '../../database/one-of.ts';
import { type Age, agesOf } from '../../queries/ages.ts';
import { namesOf } from '../../reconciliation/unfinished.ts';
import { isUnfinished } from '../../webhooks/rotation.ts';
import { span } from '../format.ts';

export type Status = Awaited<ReturnType<typeof readStatus>>;

export async function readStatus(app: App) {
  const [workers, queue, pauses, circuits, ages, waiting, runs] = await Promise.all([
    workersAlive(app),
    queueByTask(app),
    pausesOf(app),
    openCircuits(app),
    agesOf(app.db, app.clock.now()),
    waitingForPeople(app),
    lastRuns(app),
  ]);
  const attention: Attention[] = [...ages.flatMap(pastLimitOf), ...waiting];
  return { workers, queue, pauses, circuits, ages, attention, runs };
}

/** A worker that is alive holds a lock, on a connection of its own. */
async function workersAlive({ db }: App): Promise<{ host: string; since: Date }[]> {
  const { rows } = await sql<{ host: string; since: Date }>`
    select coalesce(host(session.client_addr), 'local') as host, session.backend_start as since
    from pg_stat_activity session
    where session.datname = current_database() and session.query like '%pg_try_advisory_lock(%'
      and exists (select from pg_locks where pid = session.pid and locktype = 'advisory' and granted)
    order by session.backend_start
  `.execute(db);
  return rows;
}

type QueueLine = {
  task: string;
  jobs: number;
  due: number;
  later: number;
  running: number;
  givenUp: number;
  oldestDueAt: Date | null;
};

/** The queue gives a job up after 25 attempts; the service requeues it after ten minutes. */
async function queueByTask({ db }: App): Promise<QueueLine[]> {
  const { rows } = await sql<QueueLine>`
    select task.identifier as task, count(*) as jobs,
      count(*) filter (where isWaiting and job.run_at <= now()) as due,
      count(*) filter (where isWaiting and job.run_at > now()) as later,
      count(*) filter (where job.locked_at is not null) as running,
      count(*) filter (where job.locked_at is null and job.attempts >= job.max_attempts) as "givenUp",
      min(job.run_at) filter (where isWaiting and job.run_at <= now()) as "oldestDueAt"
    from graphile_worker._private_jobs job
    join graphile_worker._private_tasks task on task.id = job.task_id
    cross join lateral (select job.locked_at is null and job.attempts < job.max_attempts as isWaiting)
    group by 1 order by 1
  `.execute(db);
  return rows;
}

const pausesOf = ({ db }: App) =>
  db
    .selectFrom('effect_pauses as pause')
    .select((of) => [
      'pause.type',
      'pause.reason',
      'pause.operator',
      'pause.paused_at as since',
      of
        .selectFrom('effects')
        .select((count) => count.fn.countAll<number>().as('waiting'))
        .whereRef('effects.type', '=', 'pause.type')
        .where('effects.status', '=', 'queued')
        .$asScalar()
        .$notNull()
        .as('waiting'),
    ])
    .orderBy('pause.paused_at')
    .execute();

const openCircuits = ({ db }: App) =>
  db
    .selectFrom('open_circuits')
    .select(['process', 'opened_at as openedAt', 'heartbeat_at as seenAt', 'reason'])
    .orderBy('opened_at')
    .execute();

type Attention = { number: number; what: string; see: string };

/** Rows that are older than the limit of their state. Where the limit is 0, every row of the state. */
function pastLimitOf({ lifecycle, state, rail, limitSeconds, pastLimit: number }: Age): Attention[] {
  if (limitSeconds === null) return [];
  const what = [rail, namesOf[lifecycle], 'in', state].filter(Boolean).join(' ');
  return limitSeconds === 0
    ? [{ number, what, see: `payments --state ${state}` }]
    : [{ number, what: `${what} for longer than ${span(limitSeconds * 1_000)}`, see: 'overdue' }];
}

async function waitingForPeople({ db }: App): Promise<Attention[]> {
  const { rows } = await sql<Attention>`
    select count(*) as number, 'payments in payout_failed' as what, 'payments --state payout_failed' as see
      from pix_payments where state in ${oneOf(awaitsUser.pix_payment)}
    union all select count(*), 'effects exhausted', 'effects' from effects where status = 'exhausted'
    union all select count(*), 'callbacks unmatched', 'webhooks --status unmatched'
      from webhook_events where status = 'unmatched'
    union all select count(*), 'discrepancies open', 'discrepancies'
      from discrepancies where resolved_at is null
    union all select count(*), 'data requests open', 'data-requests' from data_requests where status = 'open'
    union all select count(*), 'rotations of the webhook secret unfinished', 'webhook-secret status'
      from webhook_secrets where ${isUnfinished}
    union all select ${chainBreaksFound}, 'breaks in the audit record', 'audit verify'
  `.execute(db);
  return rows;
}

/** The last run of each job. */
const lastRuns = ({ db }: App) =>
  db
    .selectFrom('job_runs')
    .select([
      'job',
      'run',
      'counts',
      'started_at as startedAt',
      'updated_at as updatedAt',
      'finished_at as finishedAt',
    ])
    .distinctOn('job')
    .orderBy('job')
    .orderBy('started_at', 'desc')
    .execute();
