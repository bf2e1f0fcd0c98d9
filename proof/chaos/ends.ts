// Counts the final states in the service's own database.
import { query } from '../../harness/database/query.ts';

export type Ends = {
  payments: { flow: string; state: string; count: number }[];
  withdraws: { state: string; count: number }[];
  deposits: number;
};

export async function countEnds(databaseUrl: string): Promise<Ends> {
  const [deposits] = await query<{ count: number }>(
    databaseUrl,
    `select count(*)::int as count from transactions where type = 'deposit'`,
  );
  return {
    payments: await query(
      databaseUrl,
      'select flow, state, count(*)::int as count from pix_payments group by 1, 2 order by 2, 1',
    ),
    withdraws: await query(
      databaseUrl,
      'select state, count(*)::int as count from withdraws group by 1 order by 1',
    ),
    deposits: deposits?.count ?? 0,
  };
}
