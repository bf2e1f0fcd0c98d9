// Retries immediately what waits minutes for its next attempt: the cause of the failure may be over. Each item is
// brought forward once, however often it is postponed meanwhile: in an outage that would have no end.

import { sql } from 'kysely';
import { count } from '../batch/counters.ts';
import type { PageResult, StageContext } from '../batch/stage.ts';

export async function retryEffectsNow({ app, counters }: StageContext): Promise<PageResult> {
  count(counters, 'effects brought forward', await bringForward(app, 'effects'));
  return { next: null };
}

/** Callbacks that could not be processed yet. */
export async function retryCallbacksNow({ app, counters }: StageContext): Promise<PageResult> {
  count(counters, 'callbacks brought forward', await bringForward(app, 'webhook_events'));
  return { next: null };
}

/** What waits for its next attempt, and no process has, is due now. */
async function bringForward(
  { db }: StageContext['app'],
  table: 'effects' | 'webhook_events',
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable(table)
    .set({ due_at: sql<Date>`now()` })
    .where('leased_by', 'is', null)
    .where('due_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
