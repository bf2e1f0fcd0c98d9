// No decision without its effect, and no callback on disk that nobody looks at: work that was given up is ordered again,
// and what lost its job gets one.
import { sql } from 'kysely';
import { count } from '../batch/counters.ts';
import type { Page, Turn } from '../batch/stage.ts';
import { queueEffect } from '../outbox/enqueue.ts';

const AT_ONCE = 200;
/** What was tried before is looked up by its handle before it is sent again: the count never goes back to none. */
const TRIED_BEFORE = 1;

/** Effects that were given up get another day of attempts; those that nobody wants any more end as superseded. */
export async function takeUpEffects({ app, tally }: Turn): Promise<Page> {
  const many = await app.db.transaction().execute(async (tx) => {
    const given = await tx
      .selectFrom('effects')
      .select(['id', 'type'])
      .where('status', '=', 'exhausted')
      .orderBy('created_at')
      .limit(AT_ONCE)
      .forNoKeyUpdate()
      .skipLocked()
      .execute();
    for (const { id, type } of given) {
      await tx
        .updateTable('effects')
        .set({ status: 'ordered', attempts: TRIED_BEFORE, next_attempt_at: null })
        .where('id', '=', id)
        .execute();
      await queueEffect(tx, { id, type });
    }
    return given.length;
  });
  count(tally, 'effects taken up again', many);
  return next(many);
}

/** A job is queued with its effect and replaced with it, each time in one commit: one without the other was lost. */
export async function queueLostEffects({ app, tally }: Turn): Promise<Page> {
  const { rows } = await sql<{ id: string; type: string }>`
    select id, type from effects
    where status = 'ordered' and not exists (
      select 1 from graphile_worker._private_jobs job where job.key = 'effect:' || effects.id
    )
    limit ${AT_ONCE}
  `.execute(app.db);
  for (const { id, type } of rows) await queueEffect(app.db, { id, type });
  count(tally, 'effects queued again', rows.length);
  return next(rows.length);
}

export async function queueLostCallbacks({ app, tally }: Turn): Promise<Page> {
  const { rows } = await sql`
    select graphile_worker.add_job(
      'dispatchWebhook', json_build_object('eventId', id), job_key := 'webhook:' || id
    )
    from (
      select id from webhook_events
      where status = 'received' and not exists (
        select 1 from graphile_worker._private_jobs job where job.key = 'webhook:' || webhook_events.id
      )
      limit ${AT_ONCE}
    ) lost
  `.execute(app.db);
  count(tally, 'callbacks queued again', rows.length);
  return next(rows.length);
}

// What was dealt with is no longer found, so the next page begins at the beginning, too.
const next = (many: number): Page => ({ next: many < AT_ONCE ? null : { after: null } });
