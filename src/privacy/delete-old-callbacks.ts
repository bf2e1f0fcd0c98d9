// Deletes the remains of callbacks after six years. One delivered again after so long would be fetched again, as all
// are, and would find nothing that it could change.
import { sql } from 'kysely';
import { count } from '../batch/counters.ts';
import type { PageResult, StageContext } from '../batch/stage.ts';
import { callbacksRemovedUpTo } from '../domain/retention.ts';

const PAGE_SIZE = 1_000;

export async function deleteOldCallbacks({ app, counters }: StageContext): Promise<PageResult> {
  const { rows } = await sql<{ processed_at: Date }>`
    delete from webhook_events
    where id in (
      select id from webhook_events
      where processed_at <= ${callbacksRemovedUpTo(app.clock.now())} and payload_sealed = ''
      order by processed_at limit ${sql.lit(PAGE_SIZE)}
      for update skip locked
    )
    returning processed_at
  `.execute(app.db);
  count(counters, 'callbacks removed', rows.length);
  const latest = Math.max(...rows.map((row) => row.processed_at.getTime()));
  return { next: rows.length < PAGE_SIZE ? null : { after: new Date(latest).toISOString() } };
}
