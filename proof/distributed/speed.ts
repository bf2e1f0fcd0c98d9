// The speed of one server and of the cluster: the same users pay one after the other for the same time, with the same two processes.
// The single server runs on this machine. A server's processor time is read from this machine's kernel, if it runs here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedDatabase } from '../../harness/database/embedded-database.ts';
import { migrateDatabase, query } from '../../harness/database/query.ts';
import type { KeptProcess } from '../../harness/processes/kept-process.ts';
import { allProcesses, readProcess } from '../../harness/processes/linux-processes.ts';
import { quantile } from '../../harness/report.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { createCounts } from '../stack/counts.ts';
import { payContinuously } from '../stack/payers.ts';
import { gather, withMoney } from '../stack/people.ts';
import { startStack } from '../stack/stack.ts';

/** The figures of one payment, unless their names say otherwise. Null is what could not be counted. */
export type Speed = {
  completedPerSecond: number;
  medianMs: number;
  servicesMs: number;
  /** Of the server that the service uses, and of the workers behind it. */
  firstServerMs: number | null;
  workersMs: number | null;
  statements: number | null;
  commits: number;
  prepared: number;
  logKiB: number;
};

type Engine = { url: string; settings: NodeJS.ProcessEnv; users: number; seconds: number };

const WARM_UP_MS = 10_000;
/** Processes notice the first users' work. */
const REST_MS = 1_000;

/** Measures a server of its own, with the settings of the embedded server that also keeps its data. */
export async function measureOneServer(
  engine: Omit<Engine, 'url' | 'settings'>,
  folder: string,
  atEnd: AtEnd,
): Promise<Speed> {
  const server = await startEmbeddedDatabase({
    folder: join(folder, 'database'),
    keep: true,
    settings: { shared_preload_libraries: 'pg_stat_statements' },
  });
  atEnd(server.stop);
  await migrateDatabase(server.url);
  return measure({ ...engine, url: server.url, settings: {} }, folder, atEnd);
}

/** @param engine its database has its tables, and no rows. */
export async function measure(engine: Engine, folder: string, atEnd: AtEnd): Promise<Speed> {
  const { url, settings, seconds } = engine;
  const stack = await startStack(
    folder,
    { processes: 2, startDatabase: async () => ({ url }), settings },
    atEnd,
  );
  const { urls, sandboxUrl, shown, orders, instances } = stack;
  const counts = createCounts();
  const people = withMoney(await gather({ urls, sandboxUrl, seed: 0, counts, shown }, engine.users));
  const servers = await serversOf(url);
  let isQuiet = false;
  const paying = payContinuously({ counts, orders, isQuiet: () => isQuiet }, people);
  await pause(WARM_UP_MS);
  const before = await usageOf(url, servers, instances);
  await pause(seconds * 1_000);
  const after = await usageOf(url, servers, instances);
  isQuiet = true;
  await paying;
  await pause(REST_MS);

  const times = await completedBetween(url, before.at, after.at);
  const payments = Math.max(1, times.length);
  const each = (read: (usage: Usage) => number | null): number | null => {
    const [from, to] = [read(before), read(after)];
    return from === null || to === null ? null : (to - from) / payments;
  };
  const log = await writtenBetween(servers, before, after);
  return {
    completedPerSecond: times.length / ((after.at.getTime() - before.at.getTime()) / 1_000),
    medianMs: quantile(times, 0.5),
    servicesMs: each(({ servicesMs }) => servicesMs) ?? Number.NaN,
    firstServerMs: each(({ firstServerMs }) => firstServerMs),
    workersMs: each(({ workersMs }) => workersMs),
    statements: each(({ statements }) => statements),
    commits: log.commits / payments,
    prepared: log.prepared / payments,
    logKiB: log.bytes / 1_024 / payments,
  };
}

/** A server, and its first process if it runs on this machine. */
type Server = { url: string; pid: number | null };

/** The server itself, and behind a coordinator its workers. */
async function serversOf(url: string): Promise<Server[]> {
  // A coordinator also creates it on its workers, which refuse to create it themselves.
  await query(url, 'create extension if not exists pg_walinspect');
  const [extension] = await query(url, `select 1 from pg_extension where extname = 'citus'`);
  const workers = extension
    ? await query<{ host: string; port: number }>(
        url,
        'select node_name as host, node_port as port from citus_get_active_worker_nodes()',
      )
    : [];
  const urls = [
    url,
    ...workers.map(({ host, port }) => Object.assign(new URL(url), { host: `${host}:${port}` }).href),
  ];
  return Promise.all(urls.map(async (one) => ({ url: one, pid: await localPid(one) })));
}

async function localPid(url: string): Promise<number | null> {
  const [row] = await query<{ pid: number }>(
    url,
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`,
  );
  return row !== undefined && commandOf(row.pid).includes('postgres') ? row.pid : null;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

type Usage = {
  at: Date;
  servicesMs: number;
  firstServerMs: number | null;
  workersMs: number | null;
  statements: number | null;
  positions: string[];
};

async function usageOf(url: string, servers: Server[], instances: KeptProcess[]): Promise<Usage> {
  const [clock] = await query<{ at: Date }>(url, 'select now() as at');
  const positions = await Promise.all(
    servers.map(async (server) => {
      const [row] = await query<{ lsn: string }>(server.url, 'select pg_current_wal_insert_lsn() as lsn');
      return row?.lsn ?? '';
    }),
  );
  return {
    at: clock?.at ?? new Date(Number.NaN),
    servicesMs: sum(instances.map((one) => readProcess(one.current()?.pid ?? 0)?.ownMs ?? 0)),
    firstServerMs: processorMsOf(servers.slice(0, 1)),
    workersMs: processorMsOf(servers.slice(1)),
    statements: await countStatements(url),
    positions,
  };
}

/** The processor time of the servers with the processes of their connections, or null unless all of them run on this machine. */
function processorMsOf(servers: Server[]): number | null {
  const pids = servers.flatMap(({ pid }) => pid ?? []);
  if (pids.length < servers.length) return null;
  return sum(
    allProcesses()
      .filter(({ pid, parent }) => pids.includes(pid) || pids.includes(parent))
      .map(({ ownMs, childrenMs }) => ownMs + childrenMs),
  );
}

/** The statements that this database was sent, or null if its server does not load pg_stat_statements. */
async function countStatements(url: string): Promise<number | null> {
  try {
    await query(url, 'create extension if not exists pg_stat_statements');
    const [row] = await query<{ calls: number }>(
      url,
      `select sum(calls)::float8 as calls from pg_stat_statements
       where dbid = (select oid from pg_database where datname = current_database()) and toplevel`,
    );
    return row?.calls ?? null;
  } catch {
    return null;
  }
}

/** The milliseconds from the creation of each payment to its completion. */
async function completedBetween(url: string, from: Date, to: Date): Promise<number[]> {
  const rows = await query<{ ms: number }>(
    url,
    `select (extract(epoch from completed_at - created_at) * 1000)::float8 as ms from transactions
     where type = 'payment' and status = 'completed' and completed_at > $1 and completed_at <= $2`,
    [from, to],
  );
  return rows.map(({ ms }) => ms);
}

type Written = { bytes: number; commits: number; prepared: number };

/** The log of all servers, the commits of the first, and the transactions that were prepared: one for each server of a commit of several. */
async function writtenBetween(servers: Server[], before: Usage, after: Usage): Promise<Written> {
  const each = await Promise.all(
    servers.map(async (server, nth) => {
      const [row] = await query<Written>(
        server.url,
        `select pg_wal_lsn_diff($2, $1)::float8 as bytes,
           coalesce(sum(count) filter (where kind = 'Transaction/COMMIT'), 0)::float8 as commits,
           coalesce(sum(count) filter (where kind = 'Transaction/PREPARE'), 0)::float8 as prepared
         from (select "resource_manager/record_type" as kind, count from pg_get_wal_stats($1, $2, true)) as stats`,
        [before.positions[nth], after.positions[nth]],
      );
      return row ?? { bytes: Number.NaN, commits: Number.NaN, prepared: Number.NaN };
    }),
  );
  return {
    bytes: sum(each.map(({ bytes }) => bytes)),
    commits: each[0]?.commits ?? Number.NaN,
    prepared: sum(each.map(({ prepared }) => prepared)),
  };
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
