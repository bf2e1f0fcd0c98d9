// Patches pg 8.23.1: tells whether a client is connected to a server in recovery, and destroys a connection on which the server
// refused a write because it is read-only. After a failover the address can still lead to the former primary or to a standby.
// PostgreSQL reports `in_hot_standby` while a client connects; a pooler may not forward it, so the refused write also counts.
// Gain: no request reads a standby's older rows, and the next statement connects again and can reach the new primary.
import type { Client } from 'pg';
import { connectionOf } from './connection.ts';

/** PostgreSQL's code `read_only_sql_transaction`. */
const READ_ONLY = '25006';

export class ServerReadOnly extends Error {
  readonly code = READ_ONLY;

  constructor() {
    super('the database server takes no writes: its connection is not used');
    this.name = 'ServerReadOnly';
  }
}

type ParameterStatus = { parameterName: string; parameterValue: string };

/**
 * Watches a connection, and destroys it after a write was refused as read-only.
 * @returns a function that tells whether the server is in recovery, as far as it has reported.
 */
export function leaveReadOnlyServer(client: Client): () => boolean {
  const connection = connectionOf(client);
  let isInRecovery = false;
  connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
    if (parameterName === 'in_hot_standby') isInRecovery = parameterValue === 'on';
  });
  connection.on('errorMessage', ({ code }: { code?: string }) => {
    if (code === READ_ONLY) connection.stream.destroy(new ServerReadOnly());
  });
  return () => isInRecovery;
}
