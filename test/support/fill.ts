// Fills tables with many rows. A busy machine may need longer for that than the service's deadlines allow.
import { Client } from 'pg';

/** Runs these statements, which insert thousands of rows, without a deadline. */
export async function fill(databaseUrl: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
