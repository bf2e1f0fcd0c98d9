// A primary that archives its log. It is destroyed with its disk, and restored from a base backup and the archive: in turn to the latest
// moment, to a chosen time, and from an archive that has lost a file.
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { query } from '../../harness/database/query.ts';
import { reachableFolder } from '../../harness/database/reachable-postgres.ts';
import { startDatabaseProxy } from '../../harness/database-proxy/database-proxy.ts';
import type { AtEnd } from '../run-in-folder.ts';
import type { Cluster } from './cluster.ts';
import { backUp, killServer, type Server, startFromBackup, startPrimary } from './servers.ts';

/** The log is archived at least this often: what a destroyed disk loses. An operator would choose a minute. */
const ARCHIVED_EVERY_SECONDS = 5;
/** How long before its end the primary is restored to, if a time is chosen. The archive has later commits, and two later files. */
const CHOSEN_BEFORE_MS = 12_000;
const RESTORES = ['latest', 'chosen', 'gap'] as const;
/** With a chosen time, PostgreSQL does not start if the log ends before it. */
const ENDED_TOO_EARLY = 'recovery ended before configured recovery target was reached';
const PROMOTED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;

export async function startArchived(databaseFolder: string, atEnd: AtEnd): Promise<Cluster> {
  const folder = reachableFolder(databaseFolder);
  const archive = join(folder, 'archive');
  mkdirSync(archive, { recursive: true });
  for (const path of [folder, archive]) chmodSync(path, 0o755);
  const settings = {
    archive_mode: 'on',
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
    archive_timeout: String(ARCHIVED_EVERY_SECONDS),
  };
  let primary = await startPrimary(join(folder, 'server-0'), atEnd, settings);
  const { uid, gid } = statSync(primary.folder);
  chownSync(archive, uid, gid);
  const address = await startDatabaseProxy(primary.url);
  atEnd(address.close);

  let restores = 0;
  let backup = '';
  const restoreTo = async (target: Record<string, string>): Promise<Server> => {
    const server = await startFromBackup(primary, {
      folder: backup,
      signal: 'recovery.signal',
      settings: {
        ...settings,
        restore_command: `cp ${archive}/%f %p`,
        recovery_target_action: 'promote',
        ...target,
      },
      atEnd,
    });
    await isPromoted(server);
    return server;
  };

  return {
    url: address.url,
    addStandby: async () => {
      restores += 1;
      backup = join(folder, `server-${restores}`);
      await backUp(primary, backup, { isArchived: true });
    },
    failOver: async () => {
      const restore = RESTORES[(restores - 1) % RESTORES.length] ?? 'latest';
      // The chosen time and the lost file must be behind the backup.
      if (restore !== 'latest') await pause(CHOSEN_BEFORE_MS);
      const former = primary;
      await killServer(former);
      const killedAt = Date.now();
      rmSync(former.folder, { recursive: true, force: true });
      if (restore === 'gap') {
        rmSync(join(archive, lastButOne(segmentsIn(archive))));
        await isRefused(() => restoreTo(until(killedAt)));
      }
      primary = await restoreTo(restore === 'chosen' ? until(killedAt - CHOSEN_BEFORE_MS) : {});
      address.leadTo(primary.url);
      return { killedAt, promotedAt: Date.now(), name: namesOf[restore] };
    },
  };
}

const namesOf = {
  latest: 'to the latest moment',
  chosen: `to ${CHOSEN_BEFORE_MS / 1_000} s before`,
  gap: 'to the gap',
};

/** PostgreSQL does not take the letters of ISO 8601 here. */
const until = (ms: number) => ({
  recovery_target_time: new Date(ms).toISOString().replace('T', ' ').replace('Z', '+00'),
});

/** Returns the names of the archived files of the log, the oldest first. */
const segmentsIn = (archive: string): string[] =>
  readdirSync(archive)
    .filter((name) => /^[0-9A-F]{24}$/.test(name))
    .toSorted();

function lastButOne(segments: string[]): string {
  const segment = segments.at(-2);
  if (segment === undefined) throw new Error('the archive has fewer than two files of the log');
  return segment;
}

async function isRefused(restore: () => Promise<Server>): Promise<void> {
  const error = await restore().then(
    () => null,
    (reason: Error) => reason,
  );
  if (!error?.message.includes(ENDED_TOO_EARLY))
    throw new Error('a restore to a time behind the gap was not refused', { cause: error });
}

async function isPromoted({ url }: Server): Promise<void> {
  for (const begun = performance.now(); ; await pause(LOOK_EVERY_MS)) {
    const [row] = await query<{ isRestoring: boolean }>(url, 'select pg_is_in_recovery() as "isRestoring"');
    if (row?.isRestoring === false) return;
    if (performance.now() - begun > PROMOTED_WITHIN_MS) throw new Error('the restore does not end');
  }
}
