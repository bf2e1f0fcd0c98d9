// The references' statements, sent by `pg` as its manual says.
import { Pool, type PoolClient } from 'pg';

export type Row = Record<string, unknown>;

const CONNECTIONS = 20;

export const createRowPool = (connectionString: string): Pool =>
  new Pool({ connectionString, max: CONNECTIONS });

/** As in the library's manual; with REFERENCE_PREPARES, a statement is parsed and planned once for each connection. */
export function query(db: Pool | PoolClient, text: string, values: unknown[]) {
  if (process.env['REFERENCE_PREPARES'] !== 'true') return db.query<Row>(text, values);
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `s${names.size}`));
  return db.query<Row>({ name, text, values });
}
const names = new Map<string, string>();

/** Everything in `work` is one commit, or nothing is. */
export async function inTransaction<Result>(
  db: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await db.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}
