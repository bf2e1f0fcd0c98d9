// Deletes the remaining rows of callbacks after six years. If the provider delivered such a callback again, its resource would be
// fetched as usual and would change nothing.

import { callbacksRemovedUpTo } from '../../domain/retention.ts';
import { deleteOldCallbacksPage, OLD_CALLBACKS_PAGE } from '../../platform/sql/webhook-events.ts';
import { count } from '../counters.ts';
import type { PageResult, StageContext } from '../stage.ts';

export async function deleteOldCallbacks({ db, clock, counters }: StageContext): Promise<PageResult> {
  const deleted = await deleteOldCallbacksPage(db, { until: callbacksRemovedUpTo(clock.now()) });
  count(counters, 'callbacks removed', deleted.length);
  const latest = Math.max(...deleted.map(({ processedAt }) => processedAt.getTime()));
  return { next: deleted.length < OLD_CALLBACKS_PAGE ? null : { after: new Date(latest).toISOString() } };
}
