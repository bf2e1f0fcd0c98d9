// A contradicted state, or what was not as ordered, is over when the row has since taken a snapshot of that time, or a newer one.
// Every other kind of discrepancy waits for a person.
import { sql } from 'kysely';
import type { Page, Turn } from './stage.ts';
import { count } from './tally.ts';

export const OVERTAKEN = 'The row has taken this news, or newer, since.';

export async function settleDiscrepancies({ app, tally }: Turn): Promise<Page> {
  const { rows } = await sql`
    update discrepancies set resolved_at = ${app.clock.now()}, resolution = ${OVERTAKEN}
    from provider_resources resource
    where resolved_at is null and discrepancies.kind in ('contradicted_state', 'not_as_ordered')
      and resource.handle = discrepancies.handle and resource.snapshot_at >= discrepancies.snapshot_at
    returning discrepancies.id
  `.execute(app.db);
  count(tally, 'discrepancies settled', rows.length);
  return { next: null };
}
