// What the service recorded that the provider says and its own rows do not agree with.
import type { Client } from 'pg';

export type DiscrepancyRow = {
  id: string;
  user_id: string;
  subject_id: string;
  handle: string;
  kind: string;
  event: string;
  state: string;
  resolved_at: Date | null;
  resolution: string | null;
};

export async function readDiscrepancies(client: Client): Promise<DiscrepancyRow[]> {
  const { rows } = await client.query<DiscrepancyRow>(
    `select id, user_id, subject_id, handle, kind, event, state, resolved_at, resolution
     from discrepancies order by at`,
  );
  return rows;
}
