// Makes postponed effects and callbacks due now, because the cause of their failure may be over. Each is brought forward once per
// run, even if it is postponed again: during an outage the run would otherwise never end.

import { count } from '../counters.ts';
import type { PageResult, StageContext } from '../stage.ts';
import { bringEffectsForward } from '../../platform/sql/effects.ts';
import { bringCallbacksForward } from '../../platform/sql/webhook-events.ts';

export async function retryEffectsNow({ app, counters }: StageContext): Promise<PageResult> {
  count(counters, 'effects brought forward', await bringEffectsForward(app.db, {}));
  return { next: null };
}

/** Makes the callbacks due that could not be processed yet. */
export async function retryCallbacksNow({ app, counters }: StageContext): Promise<PageResult> {
  count(counters, 'callbacks brought forward', await bringCallbacksForward(app.db, {}));
  return { next: null };
}
