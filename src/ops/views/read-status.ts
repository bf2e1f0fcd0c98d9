// The data of `status`, read from the database in a few statements.
import { type SqlBool, sql } from 'kysely';
import type { App } from '../../app.ts';
import { version } from '../../config/version.ts';
import { type JobOutcome, jobOutcomes } from '../../nightly/outcomes.ts';
import { type Age, agesOf } from '../../queries/ages.ts';
import { countAttention } from '../../queries/attention.ts';
import { namesOf } from '../../reconciliation/unfinished.ts';
import { countOutbox, SHOWN_AFTER_FAILURES } from '../../sql/backlog.ts';
import { chainBreaksFound } from '../../sql/chain-breaks.ts';
import { isRotationUnfinished } from '../../sql/webhook-secrets.ts';
import { span } from '../format.ts';

export type Status = Awaited<ReturnType<typeof readStatus>>;

export async function readStatus(app: App) {
  const [workers, outbox, pauses, circuits, ages, waiting, runs, nights] = await Promise.all([
    workersAlive(app),
    countOutbox(app.db, {}),
    pausesOf(app),
    openCircuits(app),
    agesOf(app.db, app.clock.now()),
    waitingForPeople(app),
    lastRuns(app),
    jobOutcomes(app.db, app.clock.now()),
  ]);
  const attention: AttentionLine[] = [...ages.flatMap(pastLimitOf), ...waiting, ...nights.flatMap(missedBy)];
  return { version, workers, outbox, pauses, circuits, ages, attention, runs };
}

/** Processes that carry out work, by their heartbeats. One that died is removed by the others. */
async function workersAlive({ db }: App): Promise<{ name: string; since: Date }[]> {
  const { rows } = await sql<{ name: string; since: Date }>`
    select name, started_at as since from processes
    where heartbeat_at > now() - interval '1 minute' order by started_at
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
        .where(sql<SqlBool>`effects.type::text = pause.type`)
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

type AttentionLine = { number: number; what: string; see: string };

const missedBy = ({ job, unchecked, isOverdue }: JobOutcome): AttentionLine[] => [
  { number: Number(isOverdue), what: `nightly job without a whole run: ${job}`, see: 'status' },
  { number: unchecked, what: `items left unchecked by ${job}`, see: 'status' },
];

/** Rows that are older than the limit of their state. Where the limit is 0, every row of the state. */
function pastLimitOf({ lifecycle, state, rail, limitSeconds, pastLimit: number }: Age): AttentionLine[] {
  if (limitSeconds === null) return [];
  const what = [rail, namesOf[lifecycle], 'in', state].filter(Boolean).join(' ');
  return limitSeconds === 0
    ? [{ number, what, see: `payments --state ${state}` }]
    : [{ number, what: `${what} for longer than ${span(limitSeconds * 1_000)}`, see: 'overdue' }];
}

async function waitingForPeople({ db }: App): Promise<AttentionLine[]> {
  const [counts, { rows }] = await Promise.all([
    countAttention(db),
    sql<{ rotations: number; breaks: number }>`select ${chainBreaksFound} as breaks,
      (select count(*) from webhook_secrets where ${isRotationUnfinished}) as rotations`.execute(db),
  ]);
  return [
    { number: counts.payoutFailed, what: 'payments in payout_failed', see: 'payments --state payout_failed' },
    { number: counts.exhaustedEffects, what: 'effects exhausted', see: 'effects' },
    {
      number: counts.failingWork,
      what: `pieces of work that have failed ${SHOWN_AFTER_FAILURES} times in a row or more`,
      see: 'failures',
    },
    { number: counts.unmatchedCallbacks, what: 'callbacks unmatched', see: 'webhooks --status unmatched' },
    { number: counts.openDiscrepancies, what: 'discrepancies open', see: 'discrepancies' },
    { number: counts.openDataRequests, what: 'data requests open', see: 'data-requests' },
    {
      number: counts.dataRequestsDueSoon,
      what: 'data requests to be answered within 7 days, or late',
      see: 'data-requests',
    },
    {
      number: rows[0]?.rotations ?? 0,
      what: 'rotations of the webhook secret unfinished',
      see: 'webhook-secret status',
    },
    { number: rows[0]?.breaks ?? 0, what: 'breaks in the audit record', see: 'audit verify' },
  ];
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
    .where('started_at', 'is not', null)
    .$narrowType<{ startedAt: Date }>()
    .distinctOn('job')
    .orderBy('job')
    .orderBy('started_at', 'desc')
    .execute();
