// Deletes the remains of callbacks after six years. One delivered again after so long would be fetched again, as all
// are, and would find nothing that it could change.
import { count } from '../batch/counters.ts';
import type { PageResult, StageContext } from '../batch/stage.ts';
import { callbacksRemovedUpTo } from '../domain/retention.ts';
import { deleteOldCallbacksPage, OLD_CALLBACKS_PAGE } from '../sql/webhook-events.ts';

export async function deleteOldCallbacks({ app, counters }: StageContext): Promise<PageResult> {
  const deleted = await deleteOldCallbacksPage(app.db, { until: callbacksRemovedUpTo(app.clock.now()) });
  count(counters, 'callbacks removed', deleted.length);
  const latest = Math.max(...deleted.map(({ processedAt }) => processedAt.getTime()));
  return { next: deleted.length < OLD_CALLBACKS_PAGE ? null : { after: new Date(latest).toISOString() } };
}
