// The operators' list of effects that are stuck.
import { sql } from 'kysely';
import { prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

/** `running`: a process has it. `waiting`: until it is due and a process has a slot. */
type OutboxState = 'running' | 'waiting' | 'paused' | '';

export type StuckEffect = Pick<
  Entity<'Effect'>,
  'id' | 'type' | 'status' | 'subjectKind' | 'subjectId' | 'userId' | 'attempts' | 'lastError' | 'dueAt'
> & { outbox: OutboxState; orderedAt: Date };

/** Lists exhausted effects first, then the oldest of those that were tried often or were ordered long ago. */
export const listStuckEffects = prepared.all(
  (_db, params: { manyAttempts: number; orderedBefore: Date; limit: number }) => sql<StuckEffect>`
    select effect.id, effect.type, effect.status,
      case
        when effect.status <> 'queued' then ''
        when effect.leased_by is not null then 'running'
        when exists (select from effect_pauses pause where pause.type = effect.type::text) then 'paused'
        else 'waiting'
      end as outbox,
      effect.subject_kind, effect.subject_id, effect.user_id, effect.attempts, effect.last_error, effect.due_at,
      effect.created_at as "orderedAt"
    from effects as effect
    where effect.status in ('queued', 'exhausted')
      and (
        effect.status = 'exhausted'
        or effect.attempts >= ${params.manyAttempts}
        or effect.created_at < ${params.orderedBefore}
      )
    order by effect.status = 'queued', effect.created_at
    limit ${params.limit}`,
);
