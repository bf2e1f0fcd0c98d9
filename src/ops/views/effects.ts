// Effects that are stuck: their last error, when they are due, and whether a process has them.
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
    { title: 'outbox', of: ({ outbox }) => outbox, paint: ({ outbox }, style) => paintState(outbox, style) },
    { title: 'age', of: ({ orderedAt }) => age(orderedAt, out.now), alignRight: true },
    { title: 'attempts', of: ({ attempts }) => String(attempts), alignRight: true },
    { title: 'due', of: ({ dueAt }) => age(dueAt, out.now), alignRight: true },
    { title: 'subject', of: (row) => `${row.subjectKind} ${row.subjectId}` },
    { title: 'last error', of: ({ lastError }) => lastError ?? '' },
  ];
  printList({ out, limit }, columns, await stuckEffects(app, out.now, limit + 1), 'No effect is stuck.');
}

type EffectLine = {
  id: string;
  type: string;
  status: string;
  outbox: OutboxState;
  subjectKind: string;
  subjectId: string;
  userId: string;
  attempts: number;
  lastError: string | null;
  dueAt: Date | null;
  orderedAt: Date;
};

/** `running`: a process has it. `waiting`: until it is due and a process has a slot. */
type OutboxState = 'running' | 'waiting' | 'paused' | '';

/** Exhausted effects first, then the oldest. */
const stuckEffects = (app: App, now: Date, limit: number): Promise<EffectLine[]> =>
  app.db
    .selectFrom('effects as effect')
    .select([
      'effect.id',
      'effect.type',
      'effect.status',
      outboxState.as('outbox'),
      'effect.subject_kind as subjectKind',
      'effect.subject_id as subjectId',
      'effect.user_id as userId',
      'effect.attempts',
      'effect.last_error as lastError',
      'effect.due_at as dueAt',
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

const outboxState: RawBuilder<OutboxState> = sql<OutboxState>`case
  when effect.status <> 'queued' then ''
  when effect.leased_by is not null then 'running'
  when exists (select from effect_pauses pause where pause.type = effect.type::text) then 'paused'
  else 'waiting' end`;
