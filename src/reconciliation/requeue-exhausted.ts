// Effects that were given up are queued again: every decision has its effect.
import { sql } from 'kysely';
import { count } from '../batch/counters.ts';
import type { PageResult, StageContext } from '../batch/stage.ts';

const PAGE_SIZE = 200;
/** A repeated effect is looked up by its handle before it is sent again: so the count never returns to zero. */
const TRIED_BEFORE = 1;

/** They get another day of attempts; those no longer needed end as superseded. */
export async function requeueExhaustedEffects({ app, counters }: StageContext): Promise<PageResult> {
  const { numUpdatedRows } = await app.db
    .updateTable('effects')
    .set({ status: 'queued', attempts: TRIED_BEFORE, due_at: sql<Date>`now()` })
    .where('id', 'in', (effects) =>
      effects
        .selectFrom('effects')
        .select('id')
        .where('status', '=', 'exhausted')
        .orderBy('created_at')
        .limit(PAGE_SIZE)
        .forNoKeyUpdate()
        .skipLocked(),
    )
    .executeTakeFirst();
  count(counters, 'effects taken up again', Number(numUpdatedRows));
  // Requeued rows are no longer found, so the next page begins at the beginning, too.
  return { next: numUpdatedRows < PAGE_SIZE ? null : { after: null } };
}
