// Resumes work that this process has leased and does not run.
import { DatabaseTime } from '../platform/database/database-time.ts';
import { onOneConnection } from '../platform/database/db-transaction.ts';
import type { Db } from '../tables/orm.ts';
import { COMMITTED_WITHIN_MS, type LeaseRow, type WorkKind, workKinds } from '../tables/work.ts';
import { reclaim, workTables } from './claim.ts';
import type { EngineCore } from './core.ts';
import type { LocalPiece } from './local-work.ts';

/** All leases of this process are read this often. Otherwise only those of recent work are. */
const ALL_LEASES_EVERY_MS = 60_000;

/**
 * Returns a function that resumes, at a tick, the rows that are leased to this process and were not in its memory at two ticks, because
 * the response to a commit was lost, and the rows whose outcome could not be recorded.
 */
export function createResumer(core: EngineCore): () => Promise<void> {
  const { db, local } = core;
  let allReadAtMs = Number.NEGATIVE_INFINITY;
  /** Whether all leases are read again, to see which of them are still missing. */
  let isReadAgain = false;
  /** The tokens of the leases that were not in memory at the last tick, by row. */
  let missing = new Map<string, number>();

  return async () => {
    const owner = core.owner();
    const unrecorded = local.all().filter(({ state }) => state === 'unrecorded');
    const isTime = performance.now() - allReadAtMs >= ALL_LEASES_EVERY_MS;
    if (isTime) allReadAtMs = performance.now();
    const isAllRead = isTime || isReadAgain || unrecorded.length > 0;
    const since = isAllRead ? '-infinity' : (await DatabaseTime.read(db)).plus(-COMMITTED_WITHIN_MS);
    const leases = await listLeases(db, { owner, since });
    const leased = new Set(leases.map(({ id }) => id));
    // The outcome was recorded after all, or another process has the lease.
    for (const piece of unrecorded) if (!leased.has(piece.work.id)) local.remove(piece);
    const missingBefore = missing;
    missing = new Map(leases.filter(({ id }) => !local.find(id)).map(({ id, token }) => [id, token]));
    isReadAgain = isTime && missing.size > 0;
    for (const lease of leases) {
      const piece = local.find(lease.id);
      if (piece !== undefined && !mayRetry(piece)) continue;
      // The response to the claim of a row that was not missing before may be about to arrive.
      if (piece === undefined && missingBefore.get(lease.id) !== lease.token) continue;
      const work = await reclaim(db, owner, lease, { isRetry: piece !== undefined });
      if (work === null || owner !== core.owner()) continue;
      const failures = piece && { unrecorded: (piece.work.unrecorded ?? 0) + 1 };
      local.queue('claimed', { ...work, ...failures }, owner);
    }
    core.startQueued();
  };
}

/** Lists the leases of a process whose work became due after a time, and all of its leases of nightly runs. */
const listLeases = async (
  db: Db,
  leases: { owner: string; since: DatabaseTime | '-infinity' },
): Promise<(LeaseRow & { kind: WorkKind })[]> => {
  const rows = await onOneConnection(db, (connection) =>
    workKinds.map((kind) => workTables[kind].listLeases(connection, leases)),
  );
  return rows.flatMap((ofKind, nth) => ofKind.map((row) => ({ kind: workKinds[nth] as WorkKind, ...row })));
};

const mayRetry = ({ state, retryAtMs = 0 }: LocalPiece): boolean =>
  state === 'unrecorded' && performance.now() >= retryAtMs;
