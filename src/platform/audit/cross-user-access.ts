// Checks whether ids that were answered with "not found" belong to another user. Many ids are checked later, with one statement. So
// the caller does not wait for it and cannot tell another user's id from one that does not exist.
import type { Db } from '../database/orm.ts';
import { listOwners } from '../sql/transactions.ts';
import type { AggregatedRefusals } from './aggregated-refusals.ts';

/** Ids in a user's request for which the user has no row. */
export type CrossUserAccess = { userId: string; operation: string; requestId: string; ids: string[] };

/** Counts the ids that belong to another user. A withdrawal has the id of its transaction. */
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
