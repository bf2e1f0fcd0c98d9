// An effect is tried at once, also one that was given up, because an operator asks for it.
import { sql } from 'kysely';
import type { App } from '../../app.ts';
import { auditOperator, type By } from '../../audit/operator.ts';
import type { Db } from '../../database/orm.ts';
import type { EffectRow } from '../../entities/rows.ts';
import { scheduleEffect } from '../../outbox/enqueue.ts';

/** An effect that was tried before is looked for before it is sent again: so the count never goes back to none. */
const TRIED_BEFORE = 1;

/**
 * @returns `running` while a worker is at it: two at a time could each take the other's request for nobody's; else the
 * end it has come to, or `not_found`.
 */
export function requeueEffect(
  app: App,
  effectId: string,
  by: By,
): Promise<'queued' | 'running' | 'done' | 'failed' | 'superseded' | 'not_found'> {
  return app.db.transaction().execute(async (tx) => {
    // The effect before its job, as a worker that puts it off takes them.
    const effect = await tx
      .selectFrom('effects')
      .selectAll()
      .where('id', '=', effectId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!effect) return 'not_found';
    if (effect.status !== 'queued' && effect.status !== 'exhausted') return effect.status;
    if (await isLockedByWorker(tx, effectId)) return 'running';
    await reorder(tx, effect);
    await scheduleEffect(tx, { id: effectId, type: effect.type });
    const now = app.clock.now();
    await auditOperator(tx, { ...by, action: 'requeue', target: effectId, userId: effect.user_id, now });
    return 'queued';
  });
}

/** Holds the job for the rest of the transaction, so that no worker takes it meanwhile. */
async function isLockedByWorker(tx: Db, effectId: string): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    select locked_at is not null as "isLocked" from graphile_worker._private_jobs
    where key = ${`effect:${effectId}`} for update
  `.execute(tx);
  return rows[0]?.isLocked ?? false;
}

async function reorder(tx: Db, { id, status, attempts }: EffectRow): Promise<void> {
  await tx
    .updateTable('effects')
    .set({
      status: 'queued',
      attempts: status === 'exhausted' ? TRIED_BEFORE : attempts,
      next_attempt_at: null,
      finished_at: null,
    })
    .where('id', '=', id)
    .execute();
}
