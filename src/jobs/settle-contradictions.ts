// A contradiction is over when the row has since taken the same news of that resource, or newer: nobody need look at it.
import { sql } from 'kysely';
import type { Page, Turn } from './stage.ts';
import { count } from './tally.ts';

export const OVERTAKEN = 'The row has taken this news, or newer, since.';

export async function settleContradictions({ app, tally }: Turn): Promise<Page> {
  const { rows } = await sql`
    update contradictions set resolved_at = ${app.clock.now()}, resolution = ${OVERTAKEN}
    from provider_resources resource
    where resolved_at is null
      and resource.handle = contradictions.handle and resource.snapshot_at >= contradictions.snapshot_at
    returning contradictions.id
  `.execute(app.db);
  count(tally, 'contradictions settled', rows.length);
  return { next: null };
}
