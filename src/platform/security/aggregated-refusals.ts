// Counts refusals for the audit log. The first refusal of a kind is written at the next flush. Further ones within a minute become
// one entry with their number at the end of the minute. So a flood costs at most two rows a minute for each kind.
import type { Clock } from '../../domain/clock.ts';
import type { Db } from '../database/orm.ts';
import { listOwners } from '../sql/transactions.ts';
import type { AuditEntry } from './audit-entry.ts';

const WINDOW_MS = 60_000;
/** How many kinds are counted separately at a time. Refusals of further kinds are counted by their action alone. */
const MOST_KINDS = 1_000;

/** The kind of a refusal: everything but its time and its request. */
export type RefusalCount = { action: string; userId: string | null; details: Record<string, string> };

export type AggregatedRefusals = {
  /** Counts one refusal. @param first details that are stored only for the first refusal of an entry. */
  count: (refused: RefusalCount, requestId: string | null, first?: Record<string, string>) => void;
  /** Returns the entries that are due; with `isLast`, all entries. */
  take: (isLast?: boolean) => AuditEntry[];
};

type Counted = {
  refused: RefusalCount;
  number: number;
  since: Date;
  dueAtMs: number;
  requestId: string | null;
  first: Record<string, string>;
};

export function createAggregatedRefusals(clock: Clock): AggregatedRefusals {
  const kinds = new Map<string, Counted>();

  const kindOf = (refused: RefusalCount): [string, RefusalCount] => {
    const key = JSON.stringify(refused);
    if (kinds.has(key) || kinds.size < MOST_KINDS) return [key, refused];
    const others = { action: refused.action, userId: null, details: { kinds: 'too many to be told apart' } };
    return [JSON.stringify(others), others];
  };

  return {
    count: (wanted, requestId, first = {}) => {
      const [key, refused] = kindOf(wanted);
      const counted = kinds.get(key) ?? {
        refused,
        number: 0,
        since: new Date(0),
        dueAtMs: 0,
        requestId,
        first,
      };
      if (counted.number === 0) Object.assign(counted, { since: clock.now(), requestId, first });
      counted.number += 1;
      kinds.set(key, counted);
    },
    take: (isLast = false) => {
      const now = clock.now();
      const due: AuditEntry[] = [];
      for (const [key, counted] of kinds) {
        if (counted.dueAtMs > now.getTime() && !isLast) continue;
        if (counted.number === 0) kinds.delete(key);
        else due.push(entryOf(counted, now));
        counted.number = 0;
        counted.dueAtMs = now.getTime() + WINDOW_MS;
      }
      return due;
    },
  };
}

const entryOf = ({ refused, number, since, requestId, first }: Counted, now: Date): AuditEntry => ({
  at: now,
  action: refused.action,
  userId: refused.userId,
  requestId,
  details: { ...refused.details, ...first, number, since: since.toISOString() },
});

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
