// Stops a process in the middle of work: with SIGSTOP at a moment at which it has leases, so that what it holds can be read
// while it holds still.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Child } from '../chaos/child.ts';
import { type Lease, leasesOf, ownerOf } from './held-work.ts';

export type Caught = { pid: number; owner: string; leases: Lease[]; stoppedAt: number };

const GIVE_UP_MS = 60_000;
const READ_EVERY_MS = 5;
/** What was sent before the process stopped is committed by then. */
const SETTLED_MS = 150;

/** @throws when the process had no work for a minute. */
export async function catchWorking(pool: Pool, child: Child): Promise<Caught> {
  for (const begun = performance.now(); performance.now() - begun < GIVE_UP_MS; await pause(READ_EVERY_MS)) {
    const caught = await tryToCatch(pool, child);
    if (caught !== null) return caught;
  }
  throw new Error('a process had no work that could be taken over');
}

async function tryToCatch(pool: Pool, child: Child): Promise<Caught | null> {
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
