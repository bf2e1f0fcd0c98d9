// A primary and its standby behind one address, as behind an operator's load balancer. The primary is killed, the standby is
// promoted, and the next standby is built from it.
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { query } from '../../harness/database/query.ts';
import { reachableFolder } from '../../harness/database/reachable-postgres.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../harness/database-proxy/database-proxy.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { killServer, promote, type Server, startPrimary, startStandby } from './servers.ts';

export type Cluster = {
  /** The address of the primary, whichever server that is. */
  url: string;
  /** Starts a standby. Resolves when it has everything that the primary has committed, and later commits wait for it. */
  addStandby: () => Promise<void>;
  /**
   * Kills the primary and promotes the standby.
   * @param lagMs for so long an asynchronous standby receives nothing before the primary is killed.
   * @returns when the primary was killed and when the address led to the new one, in milliseconds since 1970.
   */
  failOver: (options?: { lagMs?: number }) => Promise<Failover>;
};

/** `name` tells kinds of failover apart. */
export type Failover = { killedAt: number; promotedAt: number; name?: string };

const IN_STEP_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;

/**
 * Starts the primary.
 * @param isSynchronous whether a commit waits until the standby has written it to its disk.
 */
export async function startCluster(
  databaseFolder: string,
  { isSynchronous }: { isSynchronous: boolean },
  atEnd: AtEnd,
): Promise<Cluster> {
  const folder = reachableFolder(databaseFolder);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  let started = 1;
  let primary = await startPrimary(join(folder, 'server-1'), atEnd);
  let standby: { server: Server; link: DatabaseProxy | null } | null = null;
  const address = await startDatabaseProxy(primary.url);
  atEnd(address.close);

  return {
    url: address.url,
    addStandby: async () => {
      started += 1;
      // Only a standby that may lag receives the log through a proxy: a commit must not wait for this process.
      const link = isSynchronous ? null : await startDatabaseProxy(primary.url);
      if (link !== null) atEnd(link.close);
      const primaryUrl = link?.url ?? primary.url;
      const next = { folder: join(folder, `server-${started}`), primaryUrl, atEnd };
      const server = await startStandby(primary, next);
      if (isSynchronous) await waitForStandby(primary);
      await inStep(primary, isSynchronous);
      standby = { server, link };
    },
    failOver: async ({ lagMs = 0 } = {}) => {
      if (standby === null) throw new Error('there is no standby');
      const { server, link } = standby;
      standby = null;
      if (lagMs > 0) {
        link?.stall();
        await pause(lagMs);
      }
      const former = primary;
      await killServer(former);
      const killedAt = Date.now();
      await link?.close();
      await promote(server);
      primary = server;
      address.leadTo(server.url);
      const promotedAt = Date.now();
      rmSync(former.folder, { recursive: true, force: true });
      return { killedAt, promotedAt };
    },
  };
}

/** From now on commits wait for the standby. A copy of this server does not inherit it, so it serves alone after its promotion. */
async function waitForStandby({ url }: Server): Promise<void> {
  await query(url, `alter system set synchronous_standby_names = '*'`);
  await query(url, 'select pg_reload_conf()');
}

async function inStep({ url }: Server, isSynchronous: boolean): Promise<void> {
  const [here] = await query<{ at: string }>(url, 'select pg_current_wal_lsn() as at');
  const state = isSynchronous ? 'sync' : 'async';
  for (const begun = performance.now(); ; await pause(LOOK_EVERY_MS)) {
    const found = await query(
      url,
      `select from pg_stat_replication where sync_state = '${state}' and flush_lsn >= '${here?.at}'`,
    );
    if (found.length > 0) return;
    if (performance.now() - begun > IN_STEP_WITHIN_MS) throw new Error('the standby does not catch up');
  }
}
