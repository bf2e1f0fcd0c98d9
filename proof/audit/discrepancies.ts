// What the service recorded that the provider says and its own rows do not agree with.
import type { Client, Pool } from 'pg';

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

/** The one place that knows the table. Its former name is that of a database which has not been migrated yet. */
const TABLES = ['discrepancies', 'contradictions'];
/** The only kind there was before there was a column for it. */
const FIRST_KIND = 'contradicted_state';

/** @returns the table's name in this database. */
export async function discrepancyTable(client: Client | Pool): Promise<string> {
  const { rows } = await client.query<{ name: string | null }>(
    `select coalesce(${TABLES.map((table) => `to_regclass('${table}')`).join(', ')})::text as name`,
  );
  const name = rows[0]?.name;
  if (!name) throw new Error(`there is no table ${TABLES.join(' or ')}`);
  return name;
}

export async function readDiscrepancies(client: Client): Promise<DiscrepancyRow[]> {
  const found = await client.query<DiscrepancyRow>(
    `select id, user_id, subject_id, handle, coalesce(to_jsonb(found) ->> 'kind', $1) as kind, event, state, resolved_at,
       resolution
     from ${await discrepancyTable(client)} found order by at`,
    [FIRST_KIND],
  );
  return found.rows;
}
