// Deletes finished effects and idempotency keys after 90 days, once their payment or withdrawal is final, unused look-ups and codes and
// checks of names after a day, finished slices of nights, and the callbacks of six years ago.

import { NIL_UUID } from '../../domain/ids.ts';
import { countEach, skippingLocked } from '../../platform/database/skip-locked.ts';
import { callbacksRemovedUpTo, dayOldRowsRemovedUpTo, workRemovedUpTo } from '../../privacy/retention.ts';
import {
  deleteFinishedEffects,
  listEffectsInOrder,
  OLD_EFFECTS_PAGE,
} from '../../tables/effects/statements.ts';
import { deleteOldKeysPage, OLD_KEYS_PAGE } from '../../tables/idempotency-keys/statements.ts';
import { deleteFinishedSlices } from '../../tables/job-runs/statements.ts';
import { OLD_ROWS_PAGE, type OldRows } from '../../tables/old-rows.ts';
import {
  deleteOldCallbacks,
  listOldCallbacks,
  OLD_CALLBACKS_PAGE,
} from '../../tables/webhook-events/statements.ts';
import { keysOf } from '../../tables/work.ts';
import { count } from '../counters.ts';
import { nextAfter, type PagePosition, type PageResult, type StageContext } from '../stage.ts';

/** Deletes a page of finished effects in the order of their creation, and ends at the first effect that is not old enough. */
export async function deleteOldEffects(
  { now, db, counters }: StageContext,
  { after }: PagePosition,
): Promise<PageResult> {
  const until = workRemovedUpTo(now);
  const page = await listEffectsInOrder(db, { after: after ?? NIL_UUID });
  const old = page.filter(({ createdAt }) => !until.isBefore(createdAt));
  const removed = await deleteFinishedEffects(db, { ...keysOf(old), until });
  count(counters, 'effects removed', removed);
  return { next: nextAfter(old, OLD_EFFECTS_PAGE, ({ id }) => id) };
}

export async function deleteOldKeys({ db, now, counters }: StageContext): Promise<PageResult> {
  const removed = await deleteOldKeysPage(db, { until: workRemovedUpTo(now) });
  count(counters, 'idempotency keys removed', removed);
  return { next: removed < OLD_KEYS_PAGE ? null : { after: null } };
}

/** Returns the stage that deletes rows of a day ago. @param counted what its counter is called. */
export const deletesOldRows =
  ({ list, deleteTogether, deleteOne }: OldRows, counted: string) =>
  async ({ db, now, counters }: StageContext): Promise<PageResult> => {
    const removed = await skippingLocked(db, async (tx, writing) => {
      const old = await list(tx, { until: dayOldRowsRemovedUpTo(now) });
      return writing === 'together'
        ? deleteTogether(tx, keysOf(old))
        : countEach(old, (row) => deleteOne(tx, row));
    });
    count(counters, counted, removed);
    return { next: removed < OLD_ROWS_PAGE ? null : { after: null } };
  };

/** A year of nights has some 100,000 slices, so one statement is enough. */
export async function deleteOldSlices({ db, now, counters }: StageContext): Promise<PageResult> {
  count(counters, 'slices removed', await deleteFinishedSlices(db, { until: workRemovedUpTo(now) }));
  return { next: null };
}

/**
 * Deletes the remaining rows of callbacks after six years. If the provider delivered such a callback again, its resource would be
 * fetched as usual and would change nothing.
 */
export async function deleteCallbacksOfLongAgo({ db, now, counters }: StageContext): Promise<PageResult> {
  const until = callbacksRemovedUpTo(now);
  const { old, deleted } = await skippingLocked(db, async (tx, writing) => {
    const page = await listOldCallbacks(tx, { until });
    const ids = page.map(({ id }) => id);
    const counted =
      writing === 'together'
        ? deleteOldCallbacks.together(tx, { ids, until })
        : countEach(ids, (id) => deleteOldCallbacks.each(tx, { id, until }));
    return { old: page, deleted: await counted };
  });
  count(counters, 'callbacks removed', deleted);
  // Every page starts at the beginning. A page of which all rows are locked is left to another night.
  const isOver = old.length < OLD_CALLBACKS_PAGE || deleted === 0;
  return { next: isOver ? null : { after: old.at(-1)?.processedAt.toISOString() ?? null } };
}
