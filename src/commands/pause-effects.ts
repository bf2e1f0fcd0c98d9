// A kind of effect is held back, and let go on. What is ordered meanwhile stays ordered: nothing is lost.
import type { App } from '../app.ts';
import { auditOperator, type By } from './audit.ts';

/** @returns false when the kind was paused before: then its reason stays the first one. */
export function pauseEffects(app: App, type: string, by: By): Promise<boolean> {
  const now = app.clock.now();
  return app.db.transaction().execute(async (tx) => {
    const paused = await tx
      .insertInto('effect_pauses')
      .values({ type, ...by, at: now })
      .onConflict((conflict) => conflict.column('type').doNothing())
      .executeTakeFirst();
    if (paused.numInsertedOrUpdatedRows !== 1n) return false;
    await auditOperator(tx, { ...by, action: 'pause', target: type, userId: null, now });
    return true;
  });
}

/** @returns false when the kind was not paused. */
export function resumeEffects(app: App, type: string, by: By): Promise<boolean> {
  return app.db.transaction().execute(async (tx) => {
    const resumed = await tx.deleteFrom('effect_pauses').where('type', '=', type).executeTakeFirst();
    if (resumed.numDeletedRows !== 1n) return false;
    await auditOperator(tx, { ...by, action: 'resume', target: type, userId: null, now: app.clock.now() });
    return true;
  });
}
