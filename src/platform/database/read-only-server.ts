// Keeps connections to a read-only server out of the pool. After a failover the address can still lead to the former primary or to
// a standby. A request must not read a standby's older rows, and the next connection can reach the new primary.
import type { ClientBase } from 'pg';

/** PostgreSQL's code `read_only_sql_transaction`. */
const READ_ONLY = '25006';

/** Thrown when a new connection leads to a server in recovery. */
export class ServerReadOnly extends Error {
  readonly code = READ_ONLY;

  constructor() {
    super('the database server takes no writes: its connection is not used');
    this.name = 'ServerReadOnly';
  }
}

export const isRefusedAsReadOnly = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === READ_ONLY;

/** Checks a new connection. @throws ServerReadOnly if its server is in recovery. */
export async function refuseServerInRecovery(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ recovers: boolean }>('select pg_is_in_recovery() as recovers');
  if (rows[0]?.recovers !== false) throw new ServerReadOnly();
}
