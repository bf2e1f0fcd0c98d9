// Payments and withdrawals that clients were told are accepted, from the clients' own journal, and those of them without a row.
import { readFileSync } from 'node:fs';
import { query } from '../../harness/database/query.ts';
import type { ClientOrder } from '../audit/evidence.ts';

export type Acknowledged = { id: string; answeredAt: number };

/** @returns each of them once, with the time of its first answer, in the order of the answers. */
export function acknowledgedIn(ordersFile: string): Acknowledged[] {
  const first = new Map<string, number>();
  for (const line of readFileSync(ordersFile, 'utf8').split('\n').slice(0, -1))
    for (const { id, answeredAt } of (JSON.parse(line) as ClientOrder).answers)
      if (id !== undefined) first.set(id, Math.min(answeredAt, first.get(id) ?? Infinity));
  return [...first]
    .map(([id, answeredAt]) => ({ id, answeredAt }))
    .toSorted((one, other) => one.answeredAt - other.answeredAt);
}

/** @returns the withdrawals that were made twice. Each order of a run has an amount of its own. */
export async function withdrawnTwice(databaseUrl: string): Promise<string[]> {
  const twice = await query<{ what: string }>(
    databaseUrl,
    `select format('%s times %s by %s', count(*), amount_minor, user_id) as what from withdraws
     group by user_id, amount_minor having count(*) > 1`,
  );
  return twice.map(({ what }) => what);
}

/** @returns the ids that have no row. */
export async function missingFrom(databaseUrl: string, ids: string[]): Promise<string[]> {
  const missing = await query<{ id: string }>(
    databaseUrl,
    `select id from unnest($1::uuid[]) as id where not exists (
       select from pix_payments where pix_payments.id = id.id
       union all select from withdraws where withdraws.id = id.id
     )`,
    [ids],
  );
  return missing.map(({ id }) => id);
}
