// Reads the discrepancies that the service recorded.
import type { Client } from 'pg';

export type DiscrepancyRow = {
  user_id: string;
  subject_id: string;
  handle: string;
  kind: string;
  /** The provider's id of the object that the discrepancy is about. */
  provider_ref: string | null;
  event: string;
  event_data: Record<string, unknown>;
  state: string;
  at: Date;
  resolved_at: Date | null;
  resolution: string | null;
};

/** Contains the auditor's only query on the table of discrepancies. */
export async function readDiscrepancies(client: Client): Promise<DiscrepancyRow[]> {
  const { rows } = await client.query<DiscrepancyRow>(
    `select user_id, subject_id, handle, kind, provider_ref, event, event_data, state, occurred_at as at, resolved_at, resolution
     from discrepancies order by occurred_at`,
  );
  return rows;
}
