// Every decision has its effect, and every stored callback is processed: effects that were given up are queued again,
// and effects and callbacks whose job was lost get a new one.
import { sql } from 'kysely';
import { count } from '../batch/counters.ts';
import type { PageResult, StageContext } from '../batch/stage.ts';
import { scheduleEffect } from '../outbox/enqueue.ts';

const PAGE_SIZE = 200;
/** A repeated effect is looked up by its handle before it is sent again: so the count never returns to zero. */
const TRIED_BEFORE = 1;

/** Effects that were given up get another day of attempts; those no longer needed end as superseded. */
export async function requeueExhaustedEffects({ app, counters }: StageContext): Promise<PageResult> {
  const many = await app.db.transaction().execute(async (tx) => {
    const given = await tx
      .selectFrom('effects')
      .select(['id', 'type'])
      .where('status', '=', 'exhausted')
      .orderBy('created_at')
      .limit(PAGE_SIZE)
      .forNoKeyUpdate()
      .skipLocked()
      .execute();
    for (const { id, type } of given) {
      await tx
        .updateTable('effects')
        .set({ status: 'queued', attempts: TRIED_BEFORE, next_attempt_at: null })
        .where('id', '=', id)
        .execute();
      await scheduleEffect(tx, { id, type });
    }
    return given.length;
  });
  count(counters, 'effects taken up again', many);
  return next(many);
}

/** A job is queued and replaced in one commit with its effect: an effect without a job has lost it. */
export async function requeueLostEffects({ app, counters }: StageContext): Promise<PageResult> {
  const { rows } = await sql<{ id: string; type: string }>`
    select id, type from effects
    where status = 'queued' and not exists (
      select 1 from graphile_worker._private_jobs job where job.key = 'effect:' || effects.id
    )
    limit ${PAGE_SIZE}
  `.execute(app.db);
  for (const { id, type } of rows) await scheduleEffect(app.db, { id, type });
  count(counters, 'effects queued again', rows.length);
  return next(rows.length);
}

export async function requeueLostCallbacks({ app, counters }: StageContext): Promise<PageResult> {
  const { rows } = await sql`
    select graphile_worker.add_job(
      'dispatchWebhook', json_build_object('eventId', id), job_key := 'webhook:' || id
    )
    from (
      select id from webhook_events
      where status = 'received' and not exists (
        select 1 from graphile_worker._private_jobs job where job.key = 'webhook:' || webhook_events.id
      )
      limit ${PAGE_SIZE}
    ) lost
  `.execute(app.db);
  count(counters, 'callbacks queued again', rows.length);
  return next(rows.length);
}

// Requeued rows are no longer found, so the next page begins at the beginning, too.
const next = (many: number): PageResult => ({ next: many < PAGE_SIZE ? null : { after: null } });
