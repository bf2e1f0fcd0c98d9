// Queues exhausted effects again, because every committed effect must reach an outcome.

import { requeueExhausted } from '../../platform/sql/effects.ts';
import { count } from '../counters.ts';
import type { PageResult, StageContext } from '../stage.ts';

const PAGE_SIZE = 200;
/** The attempts of a requeued effect. With a count above zero, the effect's handle is looked up before anything is sent. */
const TRIED_BEFORE = 1;

/** Requeues a page of exhausted effects. Each gets another day of attempts. Effects that are no longer needed become superseded. */
export async function requeueExhaustedEffects({ db, counters }: StageContext): Promise<PageResult> {
  const requeued = await requeueExhausted(db, { attempts: TRIED_BEFORE, limit: PAGE_SIZE });
  count(counters, 'effects taken up again', requeued);
  // The query no longer finds requeued rows, so every page starts at the beginning.
  return { next: requeued < PAGE_SIZE ? null : { after: null } };
}
