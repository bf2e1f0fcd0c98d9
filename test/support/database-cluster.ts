// Databases for tests on a coordinator of Citus and its workers. A database is created on every server under the same name.
import { databaseAt, query } from '../../harness/database/query.ts';

/** Returns the address of the server, and behind it those of its workers if it is a coordinator. */
export async function serversBehind(url: string): Promise<string[]> {
  const [extension] = await query(url, `select 1 from pg_extension where extname = 'citus'`);
  if (extension === undefined) return [url];
  const workers = await query<{ host: string; port: number }>(
    url,
    'select node_name as host, node_port as port from citus_get_active_worker_nodes()',
  );
  return [
    url,
    ...workers.map(({ host, port }) => Object.assign(new URL(url), { host: `${host}:${port}` }).href),
  ];
}

/** Runs a statement on each server, one after the other. */
export async function onEach(servers: string[], statement: string): Promise<void> {
  for (const server of servers) await query(server, statement);
}

/** Makes the coordinator's database know the workers' databases of the same name. @returns the coordinator's address of it. */
export async function connectServers(servers: string[], name: string): Promise<string> {
  const databases = servers.map((server) => databaseAt(server, name));
  await onEach(databases, 'create extension citus');
  const [coordinator = '', ...workers] = databases;
  // A look at all shards otherwise opens up to sixteen connections to each worker, and closes them again.
  await query(coordinator, `alter database ${name} set citus.max_adaptive_executor_pool_size = 1`);
  const { hostname, port } = new URL(coordinator);
  await query(coordinator, 'select citus_set_coordinator_host($1, $2)', [hostname, port]);
  for (const worker of workers.map((url) => new URL(url)))
    await query(coordinator, 'select citus_add_node($1, $2)', [worker.hostname, worker.port]);
  return coordinator;
}
