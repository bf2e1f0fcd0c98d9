// PgBouncer in transaction mode in front of one database: found on this machine, started, queried, and stopped.
import { spawn } from 'node:child_process';
import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { databaseAt, query } from '../../harness/database/query.ts';
import { isRoot, reachableFolder } from '../../harness/database/reachable-postgres.ts';
import { until } from '../../harness/people/until.ts';
import { freePort } from '../../harness/processes/free-port.ts';

export type PgBouncer = {
  url: string;
  /** Summarises in a sentence what PgBouncer has done so far. */
  summary: () => Promise<string>;
  stop: () => Promise<void>;
};

/** Fewer connections than the service opens to PgBouncer. */
const SERVER_CONNECTIONS = 4;

/** @returns the path of PgBouncer, or null if it is not installed. */
export function findPgBouncer(): string | null {
  const named = process.env['PGBOUNCER'];
  if (named !== undefined) return isProgram(named) ? named : null;
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, 'pgbouncer')).find(isProgram) ?? null;
}

/** @param folder the folder of the local stack whose database PgBouncer serves. */
export async function startPgBouncer({
  program,
  databaseUrl,
  folder,
}: {
  program: string;
  databaseUrl: string;
  folder: string;
}): Promise<PgBouncer> {
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, settingsFor(databaseUrl, port));
  // PgBouncer also refuses to run as root.
  const { uid, gid } = isRoot() ? statSync(reachableFolder(join(folder, 'database'))) : {};
  const child = spawn(program, [file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(uid !== undefined && gid !== undefined && { uid, gid }),
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = Object.assign(new URL(databaseUrl), { port: String(port) });
  await until(
    () => (child.exitCode === null ? ask(url, 'show version').catch(() => null) : Promise.resolve([])),
    (rows) => rows !== null,
  );
  if (child.exitCode !== null) throw new Error(`pgbouncer did not start:\n${said}`);
  return {
    url: url.href,
    summary: async () => {
      const [version, stats, servers] = [
        await ask(url, 'show version'),
        await ask(url, 'show stats'),
        await ask(url, 'show servers'),
      ];
      const counted = stats?.find(({ database }) => database === 'ponte');
      return `${version?.[0]?.['version']}, ${counted?.['total_xact_count']} transactions over ${servers?.length} connections to the server`;
    },
    stop: async () => {
      child.kill('SIGINT');
      const insist = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await exited;
      clearTimeout(insist);
    },
  };
}

/** The settings contain the password, so that the server's authentication method does not matter. */
function settingsFor(databaseUrl: string, port: number): string {
  const { hostname, port: serverPort, pathname, username, password } = new URL(databaseUrl);
  const name = pathname.slice(1);
  return `[databases]
${name} = host=${hostname} port=${serverPort} dbname=${name} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 200
query_wait_timeout = 5
`;
}

const ask = (url: URL, command: string): Promise<Record<string, string>[]> =>
  query(databaseAt(url.href, 'pgbouncer'), command);

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
