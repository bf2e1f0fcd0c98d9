// Claims due work: rows that are due and not leased, the longest due first. A claim examines a fixed number of rows and takes at most two
// of them per user, and the next claim continues behind them. So a user with many rows delays nobody.
import { NIL_UUID } from '../domain/ids.ts';
import { DatabaseTime } from '../platform/database/database-time.ts';
import { onOneConnection } from '../platform/database/db-transaction.ts';
import { skippingLocked, type Writing } from '../platform/database/skip-locked.ts';
import { effectWork } from '../tables/effects/work.ts';
import { pageWork } from '../tables/job-runs/work.ts';
import type { Db } from '../tables/orm.ts';
import { pollWork } from '../tables/provider-resources/work.ts';
import { callbackWork } from '../tables/webhook-events/work.ts';
import {
  type DueRow,
  EXAMINED,
  keysOf,
  type LeasedRow,
  tryLockClaims,
  type WorkKind,
} from '../tables/work.ts';
import { allTakenUntil } from './taken-until.ts';
import type { Work } from './work.ts';

/** `urgent`: conversions whose quotes are about to expire. */
export type Claimable = WorkKind | 'urgent';

export type Claim = {
  owner: string;
  /** The maximum number of rows. */
  limit: number;
  /** Types of effects that operators have paused, and types at their limit in this process. */
  excludedTypes: string[];
  /** Those of them that operators have paused. Their effects do not count as left when `takenUntil` is found. */
  pausedTypes?: string[];
  /** Users at their limit in this process. */
  excludedUsers: string[];
  /** The start of the claim, usually the end of the last claim of this kind. Null to start with the oldest due work. */
  after: Place | null;
  /** The service's clock. A nightly run that begins records it. */
  now: Date;
};

/** A row in the order of a claim: its id, and when it became due. For urgent work: when its quote expires. */
export type Place = { id: string; at: Date };

export type Claimed = {
  works: Work[];
  /** The start of the next claim. Null if this claim has examined all due work after its own start. */
  next: Place | null;
  /** All work between the start of this claim and this time has been taken, except paused work. */
  takenUntil: Date;
};

/** The statements of each kind of work. */
export const workTables = { effect: effectWork, callback: callbackWork, poll: pollWork, page: pageWork };

/** Each returns null if another process claims this kind at present. */
export const claims: Record<Claimable, (db: Db, claim: Claim) => Promise<Claimed | null>> = {
  urgent: (db, claim) => claimInOrder(db, 'effect', effectWork.listUrgent, claim),
  effect: (db, claim) => claimInOrder(db, 'effect', effectWork.listDue, claim),
  callback: (db, claim) => claimInOrder(db, 'callback', callbackWork.listDue, claim),
  poll: (db, claim) => claimInOrder(db, 'poll', pollWork.listDue, claim),
  page: claimPages,
};

type KindInOrder = Exclude<WorkKind, 'page'>;

/**
 * Reads candidates without locks, and takes those of them that are still due and not leased. One process at a time takes rows of a kind,
 * so claims do not wait for one another. If a row is locked, the rows are taken one by one, without those that are locked.
 */
async function claimInOrder(
  db: Db,
  kind: KindInOrder,
  list: typeof effectWork.listDue,
  claim: Claim,
): Promise<Claimed | null> {
  const after = { afterAt: claim.after?.at ?? '-infinity', after: claim.after?.id ?? NIL_UUID } as const;
  const now = await DatabaseTime.read(db);
  const due = await list(db, { now, ...after });
  const chosen = choose(due, claim);
  const leased =
    chosen.length === 0
      ? []
      : await skippingLocked(db, async (tx, writing) => {
          const lock = await tryLockClaims[kind](tx, {});
          return lock?.isLocked ? take[writing](tx, kind, chosen, { owner: claim.owner, now }) : null;
        });
  return leased && claimedOf({ kind, due, chosen, leased, now, claim });
}

type Taker = { owner: string; now: DatabaseTime };

const take: Record<
  Writing,
  (tx: Db, kind: KindInOrder, chosen: DueRow[], taker: Taker) => Promise<LeasedRow[]>
> = {
  together: (tx, kind, chosen, taker) => workTables[kind].take(tx, { ...taker, ...keysOf(chosen) }),
  each: async (tx, kind, chosen, taker) => {
    const rows = await Promise.all(
      chosen.map((row) => workTables[kind].takeUnlocked(tx, { ...taker, ...row })),
    );
    return rows.filter((row) => row !== undefined);
  },
};

const LIMIT_PER_USER = 2;

/** Chooses at most two rows per user. Callbacks of unknown users take their turn together. */
function choose(due: DueRow[], { limit, excludedUsers, excludedTypes }: Claim): DueRow[] {
  const users = new Set<string | null>(excludedUsers);
  const types = new Set(excludedTypes);
  const counts = new Map<string | null, number>();
  const chosen = due.filter(({ userId, type }) => {
    if (users.has(userId) || types.has(type)) return false;
    const count = (counts.get(userId) ?? 0) + 1;
    counts.set(userId, count);
    return count <= LIMIT_PER_USER;
  });
  return chosen.slice(0, limit);
}

type Outcome = {
  kind: WorkKind;
  due: DueRow[];
  chosen: DueRow[];
  leased: LeasedRow[];
  now: DatabaseTime;
  claim: Claim;
};

function claimedOf({ kind, due, chosen, leased, now, claim }: Outcome): Claimed {
  const taken = new Set(leased.map(({ id }) => id));
  const left = due.find(({ id, type }) => !taken.has(id) && !claim.pausedTypes?.includes(type));
  // A claim that was limited has left work between its last row and the last row that it examined.
  const last = chosen.length >= claim.limit ? chosen.at(-1) : due[EXAMINED - 1];
  return {
    works: leased.map((row) => workOf(kind, row, now)),
    next: last ? { id: last.id, at: last.placeAt } : null,
    takenUntil: allTakenUntil(now, left?.placeAt ?? null),
  };
}

const workOf = (
  kind: WorkKind,
  { id, userId, type, token, dueAt, urgentUntil }: LeasedRow,
  now: DatabaseTime,
): Work => ({
  kind,
  id,
  userId,
  type,
  token,
  isUrgent: urgentUntil !== null && now.isBefore(urgentUntil),
  waitedMs: dueAt === null ? 0 : Math.max(0, -now.msUntil(dueAt)),
});

async function claimPages(db: Db, claim: Claim): Promise<Claimed> {
  const [rows, now] = await onOneConnection(db, (connection) => [
    pageWork.take(connection, claim),
    DatabaseTime.read(connection),
  ]);
  return { works: rows.map((row) => workOf('page', row, now)), next: null, takenUntil: new Date(0) };
}

/**
 * Resumes a row that is leased to this process and does not run: the response to its commit was lost, or its outcome could not be
 * recorded.
 * @param isRetry whether an outcome could not be recorded. The attempt then counts as failed, and an effect's request may have been
 *   sent, which its next attempt must know.
 * @returns null if the lease has ended.
 */
export async function reclaim(
  db: Db,
  owner: string,
  { kind, id, userId, token }: { kind: WorkKind; id: string; userId: string | null; token: number },
  { isRetry }: { isRetry: boolean },
): Promise<Work | null> {
  const table = workTables[kind];
  const reclaimRow = isRetry ? table.reclaimFailed : table.reclaim;
  const [row, now] = await onOneConnection(db, (connection) => [
    reclaimRow(connection, { id, userId, owner, token }),
    DatabaseTime.read(connection),
  ]);
  return row ? workOf(kind, row, now) : null;
}
