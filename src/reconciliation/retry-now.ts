// Retries immediately what waits minutes for its next attempt: the cause of the failure may be over. Each item is
// brought forward once, however often it is postponed meanwhile: in an outage that would have no end.

import { count } from '../batch/counters.ts';
import type { PageResult, StageContext } from '../batch/stage.ts';
import { bringEffectsForward } from '../sql/effects.ts';
import { bringCallbacksForward } from '../sql/webhook-events.ts';

export async function retryEffectsNow({ app, counters }: StageContext): Promise<PageResult> {
  count(counters, 'effects brought forward', await bringEffectsForward(app.db, {}));
  return { next: null };
}

/** Callbacks that could not be processed yet. */
export async function retryCallbacksNow({ app, counters }: StageContext): Promise<PageResult> {
  count(counters, 'callbacks brought forward', await bringCallbacksForward(app.db, {}));
  return { next: null };
}
