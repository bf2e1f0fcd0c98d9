// Effects of one type are paused and resumed. New ones wait in the outbox meanwhile: none is lost.
import { sql } from 'kysely';
import type { App } from '../../app.ts';
import { auditOperator, type By } from '../../audit/operator.ts';
import type { Db } from '../../database/orm.ts';
import { inTransaction } from '../../database/transaction.ts';

/** @returns false when the type was paused before: the first reason stays. */
export function pauseEffects(app: App, type: string, by: By): Promise<boolean> {
  const now = app.clock.now();
  return inTransaction(app.db, async (tx) => {
    const paused = await tx
      .insertInto('effect_pauses')
      .values({ type, ...by, paused_at: sql<Date>`now()` })
      .onConflict((conflict) => conflict.column('type').doNothing())
      .executeTakeFirst();
    if (paused.numInsertedOrUpdatedRows !== 1n) return false;
    await auditOperator(tx, { ...by, action: 'effects pause', target: type, userId: null, now });
    return true;
  });
}

/** @returns false when the type was not paused. */
export function resumeEffects(app: App, type: string, by: By): Promise<boolean> {
  const now = app.clock.now();
  return inTransaction(app.db, async (tx) => {
    const pause = await tx
      .deleteFrom('effect_pauses')
      .where('type', '=', type)
      .returning('paused_at')
      .executeTakeFirst();
    if (pause === undefined) return false;
    await countPausedTime(tx, type, pause.paused_at);
    await auditOperator(tx, { ...by, action: 'effects resume', target: type, userId: null, now });
    return true;
  });
}

/**
 * The time for which an effect was paused counts for none of its limits.
 * @param since by the database's clock, as all times here.
 */
async function countPausedTime(tx: Db, type: string, since: Date): Promise<void> {
  await tx
    .updateTable('effects')
    .set({
      paused_ms: sql<number>`paused_ms + greatest(0, 1000 * extract(epoch from now() - greatest(created_at, ${since})))`,
    })
    // A newer version may have paused a type that this one does not know.
    .where(sql`type::text`, '=', type)
    .where('status', 'in', ['queued', 'exhausted'])
    .execute();
}
