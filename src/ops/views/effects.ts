// Effects that are stuck: their last error, their next attempt, and whether the queue still has their job.
import { type RawBuilder, sql } from 'kysely';
import type { App } from '../../app.ts';
import type { Call } from '../command.ts';
import { age } from '../format.ts';
import { paintState } from '../paint.ts';
import { type Column, printList } from '../table.ts';

const MANY_ATTEMPTS = 3;
const OLD_MS = 5 * 60_000;

export async function run({ app, out, limit }: Call): Promise<void> {
  const columns: Column<EffectLine>[] = [
    { title: 'effect', of: ({ id }) => id },
    { title: 'type', of: ({ type }) => type },
    { title: 'status', of: ({ status }) => status, paint: ({ status }, style) => paintState(status, style) },
    {
      title: 'queue',
      of: ({ queue }) => queue,
      paint: ({ queue }, style) => (queue === 'no job' ? style.red : paintState(queue, style)),
    },
    { title: 'age', of: ({ orderedAt }) => age(orderedAt, out.now), alignRight: true },
    { title: 'attempts', of: ({ attempts }) => String(attempts), alignRight: true },
    { title: 'next', of: ({ nextAttemptAt }) => age(nextAttemptAt, out.now), alignRight: true },
    { title: 'subject', of: (row) => `${row.subjectKind} ${row.subjectId}` },
    { title: 'last error', of: ({ lastError }) => lastError ?? '' },
  ];
  printList({ out, limit }, columns, await stuckEffects(app, out.now, limit + 1), 'No effect is stuck.');
}

type EffectLine = {
  id: string;
  type: string;
  status: string;
  queue: QueueState;
  subjectKind: string;
  subjectId: string;
  userId: string;
  attempts: number;
  lastError: string | null;
  nextAttemptAt: Date | null;
  orderedAt: Date;
};

/** The job of an effect. `no job`: no worker will carry the effect out, which must never happen. */
type QueueState = 'running' | 'waiting' | 'paused' | 'no job' | '';

/** Exhausted effects first, then the oldest. */
const stuckEffects = (app: App, now: Date, limit: number): Promise<EffectLine[]> =>
  app.db
    .selectFrom('effects as effect')
    .select([
      'effect.id',
      'effect.type',
      'effect.status',
      queueState.as('queue'),
      'effect.subject_kind as subjectKind',
      'effect.subject_id as subjectId',
      'effect.user_id as userId',
      'effect.attempts',
      'effect.last_error as lastError',
      'effect.next_attempt_at as nextAttemptAt',
      'effect.created_at as orderedAt',
    ])
    .where('effect.status', 'in', ['queued', 'exhausted'])
    .where((is) =>
      is.or([
        is('effect.status', '=', 'exhausted'),
        is('effect.attempts', '>=', MANY_ATTEMPTS),
        is('effect.created_at', '<', new Date(now.getTime() - OLD_MS)),
      ]),
    )
    .orderBy(sql`effect.status = 'queued'`)
    .orderBy('effect.created_at')
    .limit(limit)
    .execute();

const queueState: RawBuilder<QueueState> = sql<QueueState>`case
  when effect.status <> 'queued' then ''
  else coalesce(
    (select case
       when job.locked_at is not null then 'running'
       when exists (select from effect_pauses pause where pause.type = effect.type) then 'paused'
       else 'waiting' end
     from graphile_worker._private_jobs job where job.key = 'effect:' || effect.id),
    'no job')
  end`;
