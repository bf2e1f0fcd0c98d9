// Deletes finished effects and idempotency keys after 90 days, once their payment or withdrawal is final.
import { count } from '../counters.ts';
import { nextAfter, type PagePosition, type PageResult, type StageContext } from '../stage.ts';
import { NIL_UUID } from '../../domain/ids.ts';
import { workRemovedUpTo } from '../../domain/retention.ts';
import { deleteFinishedEffects, listEffectsInOrder, OLD_EFFECTS_PAGE } from '../../platform/sql/effects.ts';
import { deleteOldKeysPage, OLD_KEYS_PAGE } from '../../platform/sql/idempotency-keys.ts';

/** Deletes a page of finished effects in the order of their creation, and ends at the first effect that is not old enough. */
export async function deleteOldEffects(
  { app, counters }: StageContext,
  { after }: PagePosition,
): Promise<PageResult> {
  const until = workRemovedUpTo(app.clock.now());
  const page = await listEffectsInOrder(app.db, { after: after ?? NIL_UUID });
  const old = page.filter(({ createdAt }) => createdAt <= until);
  const removed = await deleteFinishedEffects(app.db, { ids: old.map(({ id }) => id), until });
  count(counters, 'effects removed', removed);
  return { next: nextAfter(old, OLD_EFFECTS_PAGE, ({ id }) => id) };
}

export async function deleteOldKeys({ app, counters }: StageContext): Promise<PageResult> {
  const removed = await deleteOldKeysPage(app.db, { until: workRemovedUpTo(app.clock.now()) });
  count(counters, 'idempotency keys removed', removed);
  return { next: removed < OLD_KEYS_PAGE ? null : { after: null } };
}
