// Counts what repeats, for the audit log. The first refusal of a kind is written at the next flush. Further ones within a minute become
// one entry with their number at the end of the minute. So a flood costs at most two rows a minute for each kind.
import type { Clock } from '../domain/clock.ts';
import type { Db } from '../tables/orm.ts';
import { listOwners } from '../tables/transactions/statements.ts';
import type { AuditEntry } from './entry.ts';

export const WINDOW_MS = 60_000;

/** The properties by which refusals are counted together: all except the time and the request. */
export type CountedKind = { action: string; userId: string | null; details: Record<string, string> };

export type AuditCounts = {
  /**
   * Counts one refusal or action.
   * @param options `first` has details that are stored only for the first one of an entry. `dueAtMs` says when the first entry of the
   *   kind is due; by default, at the next `take`.
   */
  count: (kind: CountedKind, requestId: string | null, options?: CountOptions) => void;
  /** Returns the entries that are due; with `isLast`, all entries. */
  take: (isLast?: boolean) => AuditEntry[];
};
type CountOptions = { first?: Record<string, string>; dueAtMs?: number };

type Counted = {
  kind: CountedKind;
  number: number;
  since: Date;
  dueAtMs: number;
  requestId: string | null;
  first: Record<string, string>;
};

/** @param maxKinds how many kinds are counted separately at a time. Further kinds are counted by their action alone. */
export function createAuditCounts(clock: Clock, maxKinds: number): AuditCounts {
  const kinds = new Map<string, Counted>();

  const kindOf = (kind: CountedKind): [string, CountedKind] => {
    const key = JSON.stringify(kind);
    if (kinds.has(key) || kinds.size < maxKinds) return [key, kind];
    const others = { action: kind.action, userId: null, details: { kinds: 'too many to be told apart' } };
    return [JSON.stringify(others), others];
  };

  return {
    count: (wanted, requestId, { first = {}, dueAtMs = 0 } = {}) => {
      const [key, kind] = kindOf(wanted);
      const counted = kinds.get(key) ?? { kind, number: 0, since: new Date(0), dueAtMs, requestId, first };
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

const entryOf = ({ kind, number, since, requestId, first }: Counted, now: Date): AuditEntry => ({
  ...kind,
  at: now,
  requestId,
  details: { ...kind.details, ...first, number, since: since.toISOString() },
});

/** Ids in a user's request for which the user has no row. */
export type CrossUserAccess = { userId: string; operation: string; requestId: string; ids: string[] };

/** Counts the ids that belong to another user. A withdrawal has the id of its transaction. */
export async function countCrossUserAccess(
  db: Db,
  refusals: AuditCounts,
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
        refusals.count({ action: 'foreign-id.tried', userId, details: { operation } }, requestId, {
          first: { target },
        });
    }
}

async function ownersOf(db: Db, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  return new Map((await listOwners(db, { ids })).map(({ id, owner }) => [id, owner]));
}
