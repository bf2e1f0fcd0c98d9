// Retries immediately what waits minutes for its next attempt: the cause of the failure may be over. Each item is
// brought forward once, however often it is postponed meanwhile: in an outage that would have no end.

import { sql } from 'kysely';
import { count } from '../batch/counters.ts';
import { nextAfter, type PagePosition, type PageResult, type StageContext } from '../batch/stage.ts';
import { NIL_UUID } from '../domain/ids.ts';
import { scheduleEffect } from '../outbox/enqueue.ts';

const PAGE_SIZE = 200;

export async function retryEffectsNow(
  { app, counters }: StageContext,
  { after }: PagePosition,
): Promise<PageResult> {
  const now = app.clock.now();
  const waiting = await app.db
    .selectFrom('effects')
    .select(['id', 'type'])
    .where('status', '=', 'queued')
    .where('next_attempt_at', '>', now)
    .where('id', '>', after ?? NIL_UUID)
    .orderBy('id')
    .limit(PAGE_SIZE)
    .execute();
  for (const { id, type } of waiting)
    await app.db.transaction().execute(async (tx) => {
      const brought = await tx
        .updateTable('effects')
        .set({ next_attempt_at: now })
        .where('id', '=', id)
        .where('status', '=', 'queued')
        .where('next_attempt_at', '>', now)
        .executeTakeFirst();
      if (brought.numUpdatedRows === 1n) await scheduleEffect(tx, { id, type });
    });
  count(counters, 'effects brought forward', waiting.length);
  return behind(waiting);
}

/** Callbacks that could not be processed yet. */
export async function retryCallbacksNow(
  { app, counters }: StageContext,
  { after }: PagePosition,
): Promise<PageResult> {
  const { rows } = await sql<{ id: string }>`
    with waiting as (
      select event.id, job.key
      from graphile_worker._private_jobs job
      join webhook_events event on job.key = 'webhook:' || event.id
      where event.status = 'received' and job.run_at > now() and job.locked_at is null
        and event.id > ${after ?? NIL_UUID}::uuid
      order by event.id
      limit ${PAGE_SIZE}
    )
    select id, graphile_worker.add_job('dispatchWebhook', json_build_object('eventId', id), job_key := key)
    from waiting order by id
  `.execute(app.db);
  count(counters, 'callbacks brought forward', rows.length);
  return behind(rows);
}

const behind = (page: { id: string }[]): PageResult => {
  return { next: nextAfter(page, PAGE_SIZE, ({ id }) => id) };
};
