// Counts the final states in the service's own database.
import { Pool } from 'pg';

export type Ends = {
  payments: { flow: string; state: string; count: number }[];
  withdraws: { state: string; count: number }[];
  deposits: number;
};

export async function countEnds(databaseUrl: string): Promise<Ends> {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const rows = async <Row extends object>(query: string): Promise<Row[]> =>
      (await pool.query<Row>(query)).rows;
    return {
      payments: await rows(
        'select flow, state, count(*)::int as count from pix_payments group by 1, 2 order by 2, 1',
      ),
      withdraws: await rows('select state, count(*)::int as count from withdraws group by 1 order by 1'),
      deposits:
        (
          await rows<{ count: number }>(
            `select count(*)::int as count from transactions where type = 'deposit'`,
          )
        )[0]?.count ?? 0,
    };
  } finally {
    await pool.end();
  }
}
