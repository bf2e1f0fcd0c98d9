// The references' statements, sent by `pg` as its manual says. Like the service's, each is prepared once on each connection.
import { Pool, type PoolClient } from 'pg';

export type Row = Record<string, unknown>;

const CONNECTIONS = 20;

export const createRowPool = (connectionString: string): Pool =>
  new Pool({ connectionString, max: CONNECTIONS });

export function query(db: Pool | PoolClient, text: string, values: unknown[]) {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `s${names.size}`));
  return db.query<Row>({ name, text, values });
}
const names = new Map<string, string>();

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
