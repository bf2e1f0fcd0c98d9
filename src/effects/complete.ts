// Ends an effect: in one commit with what it brought, where it brought something.
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import type { EffectRow } from '../entities/rows.ts';
import { applyReported } from '../lifecycle/apply-reported.ts';
import type { Snapshot } from '../provider/port.ts';
import { causeOf, type Ending } from './effect.ts';
import { logEnd } from './log.ts';

/** Somebody else may have brought it to its end meanwhile: then it keeps that one. */
export async function completeEffect(
  db: Db,
  effect: EffectRow,
  status: 'done' | 'superseded',
  now: Date,
): Promise<void> {
  await db
    .updateTable('effects')
    .set({
      status,
      attempts: effect.attempts + 1,
      next_attempt_at: null,
      held_refusal: null,
      finished_at: now,
    })
    .where('id', '=', effect.id)
    .where('status', '=', 'queued')
    .execute();
}

/** Applies what the provider answered; the effect is done with it. */
export async function completeWith(app: App, effect: EffectRow, snapshot: Snapshot): Promise<Ending> {
  const finish = (tx: Db) => completeEffect(tx, effect, 'done', app.clock.now());
  const observation = await applyReported(app, snapshot, causeOf(effect), finish);
  if (observation === 'unmatched') return 'returned';
  logEnd(app, effect, { end: 'done', snapshot });
  return 'finished';
}
