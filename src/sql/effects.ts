// The outbox: the calls to the provider that committed transitions emitted.
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';

/** Whether these bank details were sent for validation within the last `seconds`. */
export const wasValidationEnqueued = prepared.first(
  (_db, given: { bankDetailsId: string; userId: string; version: number; seconds: number }) => sql<{
    id: string;
  }>`
    select id from effects
    where subject_id = ${given.bankDetailsId} and user_id = ${given.userId} and seq = ${given.version}
      and created_at > now() - make_interval(secs => ${given.seconds})
    limit 1`,
import type { Entity } from '../entities/rows.ts';

type Effect = Entity<'Effect'>;

/** Locks the latest effect of a row's transition for the rest of the database transaction. */
export const lockEffectOfTransition = prepared.first(
  (db, given: Pick<Effect, 'subjectId' | 'userId' | 'seq'>) =>
    db
      .selectFrom('Effect')
      .select(['id', 'status'])
      .where('subjectId', '=', given.subjectId)
      .where('userId', '=', given.userId)
      .where('seq', '=', given.seq)
      .orderBy('createdAt', 'desc')
      .forNoKeyUpdate(),
);

/** Queues an effect that has finished, as it was ordered. */
export const orderEffectAgain = prepared.count((db, { id, userId }: Pick<Effect, 'id' | 'userId'>) =>
  db
    .updateTable('Effect')
    .set({ status: 'queued', dueAt: sql<Date>`now()`, finishedAt: null })
    .where('id', '=', id)
    .where('userId', '=', userId),
);

/** Queues exhausted effects again, the oldest first. Effects that another process has locked are left out. */
export const requeueExhausted = prepared.count(
  (_db, { attempts, limit }: { attempts: number; limit: number }) => sql`
    update effects set status = 'queued', attempts = ${attempts}, due_at = now()
    where id in (
      select id from effects where status = 'exhausted'
      order by created_at limit ${limit}
      for no key update skip locked
    )`,
);

/** Makes the effects due that wait for their next attempt. */
export const bringEffectsForward = prepared.count(
  () => sql`update effects set due_at = now() where leased_by is null and due_at > now()`,
);
