// Leases: which process has a row. The token of a lease is a fencing token: it increments with each lease, so that a paused former
// owner is rejected.
import type { Db } from '../tables/orm.ts';
import { deleteDeadProcess } from '../tables/processes/statements.ts';
import { type WorkKind, workKinds } from '../tables/work.ts';
import { workTables } from './claim.ts';

/** Thrown to roll back a decision whose process has lost the lease: another process has the row, or an operator ended the lease. */
export class LeaseLost extends Error {
  constructor(kind: WorkKind, id: string) {
    super(`the lease of ${kind} ${id} was lost: another process has it, or an operator ended it`);
    this.name = 'LeaseLost';
  }
}

/**
 * Checks that a statement which requires the lease has found its row.
 * @param updated the number of rows that the statement has updated.
 * @throws LeaseLost if it is not 1.
 */
export function assertLeased(kind: WorkKind, id: string, updated: number): void {
  if (updated !== 1) throw new LeaseLost(kind, id);
}

/** Ends every lease of `owner`, whether its work has started or not. An effect's next attempt expects that its request was sent. */
export async function releaseOwnLeases(db: Db, owner: string): Promise<void> {
  for (const kind of workKinds) await workTables[kind].endLeasesOfOwner(db, { owner });
}

/** Removes a dead process and ends its leases. Returns false if it has written its heartbeat meanwhile: then it keeps them. */
export async function takeOver(db: Db, peer: { id: string; heartbeat: number }): Promise<boolean> {
  const deleted = await deleteDeadProcess(db, { id: peer.id, heartbeat: peer.heartbeat });
  await releaseOrphanedLeases(db);
  return deleted === 1;
}

/** Ends the leases of processes that are not registered any more, because another process removed them as dead. */
export async function releaseOrphanedLeases(db: Db): Promise<void> {
  for (const kind of workKinds) await workTables[kind].endOrphanedLeases(db, {});
}
