// Finds whose id it was that a request was refused with "not found". Checked afterwards, many with one statement: the
// caller waits for nothing, and cannot tell another user's id from one that does not exist.
import type { Db } from '../database/orm.ts';
import { listOwners } from '../sql/transactions.ts';
import type { AggregatedRefusals } from './aggregated-refusals.ts';

/** Ids in a request that found nothing there for its user. */
export type CrossUserAccess = { userId: string; operation: string; requestId: string; ids: string[] };

/** Counts those that are another user's. A withdrawal has its transaction's id. */
export async function countCrossUserAccess(
  db: Db,
  aggregated: AggregatedRefusals,
  missed: CrossUserAccess[],
): Promise<void> {
  const owners = await ownersOf(
    db,
    missed.flatMap(({ ids }) => ids),
  );
  for (const { userId, operation, requestId, ids } of missed)
    for (const target of ids) {
      const owner = owners.get(target);
      if (owner !== undefined && owner !== userId)
        aggregated.count({ action: 'foreign-id.tried', userId, details: { operation } }, requestId, {
          target,
        });
    }
}

async function ownersOf(db: Db, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  return new Map((await listOwners(db, { ids })).map(({ id, owner }) => [id, owner]));
}
