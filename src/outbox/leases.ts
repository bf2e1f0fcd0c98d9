// Leases: which process has a row, and with which token. A token counts the leases of its row, so an earlier holder is told
// from a later one however long it was paused.
import type { Db } from '../database/orm.ts';
import { endOrphanedRuns } from '../sql/job-runs.ts';
import { deleteDeadProcess } from '../sql/processes.ts';
import { endLeasesOfOwner, endOrphanedLeases, type WorkKind, workKinds } from '../sql/work.ts';

/** Thrown to take back the transaction that would have written a decision: another process has the row now. */
export class LeaseLost extends Error {
  constructor(kind: WorkKind | 'run', id: string) {
    super(`the lease of ${kind} ${id} was lost: another process has it, or an operator ended it`);
    this.name = 'LeaseLost';
  }
}

/**
 * @param updated how many rows the statement that needs the lease has updated.
 * @throws LeaseLost when it found no row.
 */
export function assertHeld(kind: WorkKind, id: string, updated: number): void {
  if (updated !== 1) throw new LeaseLost(kind, id);
}

/** Ends every lease of `owner`, begun or not. An effect of it may have been sent, so its next try counts on that. */
export async function handBack(db: Db, owner: string): Promise<void> {
  for (const kind of workKinds) await endLeasesOfOwner[kind](db, { owner });
}

/** Removes a process that is dead, unless it has written its heartbeat meanwhile, and ends its leases. */
export async function takeOver(db: Db, peer: { id: string; heartbeat: number }): Promise<boolean> {
  const deleted = await deleteDeadProcess(db, { id: peer.id, heartbeat: peer.heartbeat });
  await handBackOrphaned(db);
  return deleted === 1;
}

/** Ends the leases of processes that are not registered any more: other processes have taken them for dead. */
export async function handBackOrphaned(db: Db): Promise<void> {
  for (const kind of workKinds) await endOrphanedLeases[kind](db, {});
  await endOrphanedRuns(db, {});
}
