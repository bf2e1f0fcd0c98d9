// Effects that were given up are queued again: every decision has its effect.
import { count } from '../batch/counters.ts';
import type { PageResult, StageContext } from '../batch/stage.ts';
import { requeueExhausted } from '../sql/effects.ts';

const PAGE_SIZE = 200;
/** A repeated effect is looked up by its handle before it is sent again: so the count never returns to zero. */
const TRIED_BEFORE = 1;

/** They get another day of attempts; those no longer needed end as superseded. */
export async function requeueExhaustedEffects({ app, counters }: StageContext): Promise<PageResult> {
  const requeued = await requeueExhausted(app.db, { attempts: TRIED_BEFORE, limit: PAGE_SIZE });
  count(counters, 'effects taken up again', requeued);
  // Requeued rows are no longer found, so the next page also begins at the beginning.
  return { next: requeued < PAGE_SIZE ? null : { after: null } };
}
