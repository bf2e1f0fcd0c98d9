// What waits for its next attempt, which may be minutes away, has it now: what it failed of may long be over. Each is
// brought forward once, however often it is put off meanwhile: in an outage that would have no end.
import { sql } from 'kysely';
import { count } from '../batch/counters.ts';
import type { Page, Place, Turn } from '../batch/stage.ts';
import { queueEffect } from '../outbox/enqueue.ts';

const AT_ONCE = 200;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export async function bringForwardEffects({ app, tally }: Turn, { after }: Place): Promise<Page> {
  const now = app.clock.now();
  const waiting = await app.db
    .selectFrom('effects')
    .select(['id', 'type'])
    .where('status', '=', 'ordered')
    .where('next_attempt_at', '>', now)
    .where('id', '>', after ?? FIRST_ID)
    .orderBy('id')
    .limit(AT_ONCE)
    .execute();
  for (const { id, type } of waiting)
    await app.db.transaction().execute(async (tx) => {
      const brought = await tx
        .updateTable('effects')
        .set({ next_attempt_at: now })
        .where('id', '=', id)
        .where('status', '=', 'ordered')
        .where('next_attempt_at', '>', now)
        .executeTakeFirst();
      if (brought.numUpdatedRows === 1n) await queueEffect(tx, { id, type });
    });
  count(tally, 'effects brought forward', waiting.length);
  return behind(waiting);
}

/** Callbacks that could not be processed yet. */
export async function bringForwardCallbacks({ app, tally }: Turn, { after }: Place): Promise<Page> {
  const { rows } = await sql<{ id: string }>`
    with waiting as (
      select event.id, job.key
      from graphile_worker._private_jobs job
      join webhook_events event on job.key = 'webhook:' || event.id
      where event.status = 'received' and job.run_at > now() and job.locked_at is null
        and event.id > ${after ?? FIRST_ID}::uuid
      order by event.id
      limit ${AT_ONCE}
    )
    select id, graphile_worker.add_job('dispatchWebhook', json_build_object('eventId', id), job_key := key)
    from waiting order by id
  `.execute(app.db);
  count(tally, 'callbacks brought forward', rows.length);
  return behind(rows);
}

const behind = (page: { id: string }[]): Page => {
  const last = page.at(-1);
  return { next: page.length < AT_ONCE || last === undefined ? null : { after: last.id } };
};
