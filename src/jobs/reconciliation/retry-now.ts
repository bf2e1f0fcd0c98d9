// Makes postponed effects and callbacks due now, because the cause of their failure may be over. Each is brought forward once per
// run, even if it is postponed again: during an outage the run would otherwise never end.

import { TRIED_BEFORE } from '../../outbox/backoff.ts';
import { countEach, skippingLocked } from '../../platform/database/skip-locked.ts';
import { bringEffectsForward, listExhausted, requeueExhausted } from '../../tables/effects/statements.ts';
import { bringCallbacksForward } from '../../tables/webhook-events/statements.ts';
import { keysOf } from '../../tables/work.ts';
import { count } from '../counters.ts';
import type { PageResult, StageContext } from '../stage.ts';

export async function retryEffectsNow({ db, counters }: StageContext): Promise<PageResult> {
  count(counters, 'effects brought forward', await bringEffectsForward(db, {}));
  return { next: null };
}

/** Makes the callbacks due that could not be processed yet. */
export async function retryCallbacksNow({ db, counters }: StageContext): Promise<PageResult> {
  count(counters, 'callbacks brought forward', await bringCallbacksForward(db, {}));
  return { next: null };
}

const PAGE_SIZE = 200;

/** Requeues a page of exhausted effects. Each gets another day of attempts. Effects that are no longer needed become superseded. */
export async function requeueExhaustedEffects({ db, counters }: StageContext): Promise<PageResult> {
  const attempts = TRIED_BEFORE;
  const requeued = await skippingLocked(db, async (tx, writing) => {
    const exhausted = await listExhausted(tx, { limit: PAGE_SIZE });
    return writing === 'together'
      ? requeueExhausted.together(tx, { attempts, ...keysOf(exhausted) })
      : countEach(exhausted, (effect) => requeueExhausted.each(tx, { attempts, ...effect }));
  });
  count(counters, 'effects taken up again', requeued);
  // The query no longer finds requeued rows, so every page starts at the beginning.
  return { next: requeued < PAGE_SIZE ? null : { after: null } };
}
