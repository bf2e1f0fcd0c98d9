// Finds times in the middle of work, when a process, or one of several, has leases. A process is stopped with SIGSTOP, so that its
// leases can be read while they do not change.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { KeptProcess } from '../../harness/processes/kept-process.ts';
import { type Lease, leasesOf, ownerOf } from './held-work.ts';

export type Caught = { pid: number; owner: string; leases: Lease[]; stoppedAt: number };

const GIVE_UP_MS = 60_000;
const READ_EVERY_MS = 5;
/** By this time, everything that the process sent before it stopped is committed. */
const SETTLED_MS = 150;

/** @throws if the process had no work for a minute. */
export const catchWorking = (pool: Pool, child: KeptProcess): Promise<Caught> =>
  untilSome(() => tryToCatch(pool, child));

/**
 * @returns their leases at a time when they have some.
 * @throws if they had no work for a minute.
 */
export const untilWorking = (pool: Pool, owners: string[]): Promise<Lease[]> =>
  untilSome(async () => {
    const held = (await Promise.all(owners.map((owner) => leasesOf(pool, owner)))).flat();
    return held.length > 0 ? held : null;
  });

async function untilSome<Some>(attempt: () => Promise<Some | null>): Promise<Some> {
  for (const begun = performance.now(); performance.now() - begun < GIVE_UP_MS; await pause(READ_EVERY_MS)) {
    const some = await attempt();
    if (some !== null) return some;
  }
  throw new Error('there was no work that could be taken over');
}

async function tryToCatch(pool: Pool, child: KeptProcess): Promise<Caught | null> {
  const pid = child.current()?.pid;
  if (pid === undefined || !child.isReady()) return null;
  const owner = await ownerOf(pool, pid);
  if (owner === null || (await leasesOf(pool, owner)).length === 0) return null;
  process.kill(pid, 'SIGSTOP');
  const stoppedAt = performance.now();
  await pause(SETTLED_MS);
  const leases = await leasesOf(pool, owner);
  if (leases.length > 0) return { pid, owner, leases, stoppedAt };
  process.kill(pid, 'SIGCONT');
  return null;
}
