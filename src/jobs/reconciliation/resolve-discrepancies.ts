// Resolves discrepancies that have settled themselves. `contradicted_state` and `not_as_ordered` are resolved when the row has since
// applied that event, or a newer snapshot (one of the same time may say the opposite). `not_ordered` is resolved when a row has the
// object. `vanished` is resolved elsewhere, when the object is found again. Every other kind waits for an operator.

import { resolveOrderedSince, resolveOvertaken } from '../../tables/discrepancies/statements.ts';
import { count } from '../counters.ts';
import type { PageResult, StageContext } from '../stage.ts';

export const HAS_ROW = 'A row here has it since.';
export const OVERTAKEN = 'The row has taken this event, or a later one, since.';

export async function resolveOvertakenDiscrepancies({
  db,
  clock,
  counters,
}: StageContext): Promise<PageResult> {
  const overtaken = await resolveOvertaken(db, { resolvedAt: clock.now(), resolution: OVERTAKEN });
  const ordered = await resolveOrderedSince(db, { resolvedAt: clock.now(), resolution: HAS_ROW });
  count(counters, 'discrepancies settled', overtaken + ordered);
  return { next: null };
}
