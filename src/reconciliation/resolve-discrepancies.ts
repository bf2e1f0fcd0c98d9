// A contradicted state, or an event not as ordered, is resolved when the row has since applied that event or a newer
// snapshot: one of the same time may say the opposite. An object that no row here ordered is resolved when a row has it. Every
// other kind of discrepancy waits for an operator, except vanished objects.
import { count } from '../batch/counters.ts';
import type { PageResult, StageContext } from '../batch/stage.ts';
import { resolveOrderedSince, resolveOvertaken } from '../sql/discrepancies.ts';

export const HAS_ROW = 'A row here has it since.';
export const OVERTAKEN = 'The row has taken this event, or a later one, since.';

export async function resolveOvertakenDiscrepancies({ app, counters }: StageContext): Promise<PageResult> {
  const { db, clock } = app;
  const overtaken = await resolveOvertaken(db, { resolvedAt: clock.now(), resolution: OVERTAKEN });
  const ordered = await resolveOrderedSince(db, { resolvedAt: clock.now(), resolution: HAS_ROW });
  count(counters, 'discrepancies settled', overtaken + ordered);
  return { next: null };
}
