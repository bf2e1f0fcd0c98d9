// A contradicted state, or an event not as ordered, is resolved when the row has since applied that event or a newer
// snapshot: one of the same time may say the opposite. What no row here ordered is resolved when a row has it. Every other kind of discrepancy waits for an operator, except
// vanished objects.
import { sql } from 'kysely';
import { count } from '../batch/counters.ts';
import type { PageResult, StageContext } from '../batch/stage.ts';

export const HAS_ROW = 'A row here has it since.';
export const OVERTAKEN = 'The row has taken this event, or a later one, since.';

export async function resolveOvertakenDiscrepancies({ app, counters }: StageContext): Promise<PageResult> {
  const { rows } = await sql`
    update discrepancies set resolved_at = ${app.clock.now()}, resolution = ${OVERTAKEN}
    from provider_resources resource
    where resolved_at is null and discrepancies.kind in ('contradicted_state', 'not_as_ordered')
      and resource.handle = discrepancies.handle and resource.user_id = discrepancies.user_id
      and (
        resource.snapshot_updated_at > discrepancies.snapshot_updated_at
        or exists (
          select from transitions taken
          where taken.subject_kind = discrepancies.subject_kind and taken.subject_id = discrepancies.subject_id
            and taken.user_id = discrepancies.user_id
            and taken.event = discrepancies.event and taken.occurred_at >= discrepancies.occurred_at
            and taken.event_data @> (discrepancies.event_data - 'differs')
        )
      )
    returning discrepancies.id
  `.execute(app.db);
  const adopted = await sql`
    update discrepancies set resolved_at = ${app.clock.now()}, resolution = ${HAS_ROW}
    where resolved_at is null and kind = 'not_ordered' and exists (
      select from provider_resources resource
      where resource.provider_ref = discrepancies.provider_ref and resource.user_id = discrepancies.user_id
    )
    returning id
  `.execute(app.db);
  count(counters, 'discrepancies settled', rows.length + adopted.rows.length);
  return { next: null };
}
