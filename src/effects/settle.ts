// A definitive failure on the way: the machine is told at once, under the same lock and checks as any other event.
import type { AnyStateMachine, EventFromLogic } from 'xstate';
import type { App } from '../app.ts';
import { dropBalance } from '../balance/drop.ts';
import { advance, lockRow } from '../lifecycle/advance.ts';
import type { Lifecycle, LifecycleRow } from '../lifecycle/lifecycle.ts';
import { causeOf, type EffectRow } from './effect.ts';
import { finishEffect } from './finish.ts';

/** Applies `event`, unless the row has moved on since it ordered the effect, and ends the effect with it. */
export async function settle<Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  app: App,
  lifecycle: Lifecycle<Machine, Row>,
  effect: EffectRow,
  event: EventFromLogic<Machine>,
): Promise<'finished'> {
  await app.db.transaction().execute(async (tx) => {
    const now = app.clock.now();
    const row = await lockRow(tx, lifecycle, { id: effect.subject_id, userId: effect.user_id });
    const isLatest = row !== null && row.seq === effect.seq;
    await Promise.all([
      isLatest && advance(tx, lifecycle, row, event, causeOf(effect), now),
      isLatest && dropBalance(tx, row.user_id),
      finishEffect(tx, effect, 'done', now),
    ]);
  });
  return 'finished';
}
