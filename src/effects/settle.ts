// A definitive failure on the way: the machine is told at once, under the same lock and checks as any other event.
import type { AnyStateMachine, EventFromLogic } from 'xstate';
import type { App } from '../app.ts';
import { dropBalance } from '../balance/drop.ts';
import { advance, lockRow } from '../lifecycle/advance.ts';
import type { Lifecycle, LifecycleRow } from '../lifecycle/lifecycle.ts';
import { causeOf, type EffectRow } from './effect.ts';

/** Applies `event` unless the row has moved on since it ordered the effect. */
export async function settle<Machine extends AnyStateMachine, Row extends LifecycleRow>(
  app: App,
  lifecycle: Lifecycle<Machine, Row>,
  effect: EffectRow,
  event: EventFromLogic<Machine>,
): Promise<void> {
  await app.db.transaction().execute(async (tx) => {
    const row = await lockRow(tx, lifecycle, { id: effect.subject_id, userId: effect.user_id });
    if (row === null || row.seq !== effect.seq) return;
    await advance(tx, lifecycle, row, event, causeOf(effect), app.clock.now());
    await dropBalance(tx, row.user_id);
  });
}
