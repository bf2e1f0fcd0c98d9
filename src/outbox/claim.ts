// Claims due work: rows that are due and not leased, the oldest first. A claim examines a fixed number of rows and takes at most two of
// them per user, and the next claim continues behind them. So a user with many rows delays nobody. Rows that another database transaction
// has locked are skipped.
import { NIL_UUID } from '../domain/ids.ts';
import type { Db } from '../tables/orm.ts';
import {
  claimDueCallbacks,
  claimDueEffects,
  claimDuePages,
  claimDuePolls,
  claimUrgentEffects,
  reclaimFailedWork,
  reclaimWork,
  type TakenRow,
  type WorkKind,
} from '../tables/work.ts';
import type { Work } from './work.ts';

/** `urgent`: conversions whose quotes are about to expire. */
export type Claimable = WorkKind | 'urgent';

export type Claim = {
  owner: string;
  most: number;
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

export const claims: Record<Claimable, (db: Db, claim: Claim) => Promise<Claimed>> = {
  urgent: (db, claim) => claimInOrder(db, 'effect', claimUrgentEffects, claim),
  effect: (db, claim) => claimInOrder(db, 'effect', claimDueEffects, claim),
  callback: (db, claim) => claimInOrder(db, 'callback', claimDueCallbacks, claim),
  poll: (db, claim) => claimInOrder(db, 'poll', claimDuePolls, claim),
  page: claimPages,
};

async function claimInOrder(
  db: Db,
  kind: WorkKind,
  claimRows: typeof claimDueEffects,
  claim: Claim,
): Promise<Claimed> {
  const rows = await claimRows(db, {
    pausedTypes: [],
    ...claim,
    afterAt: claim.after?.at ?? '-infinity',
    after: claim.after?.id ?? NIL_UUID,
  });
  const taken = rows.filter((row) => row.id !== null);
  const examined = rows.find((row) => row.id === null);
  // A claim that was limited by `most` has left work between its last row and the last row that it examined.
  const last = taken.length >= claim.most ? taken.toSorted(comparePlaces).at(-1) : examined;
  return {
    works: taken.map((row) => ({ kind, ...row })),
    next: last?.place && last.placeAt ? { id: last.place, at: last.placeAt } : null,
    takenUntil: examined?.takenUntil ?? new Date(0),
  };
}

const comparePlaces = (one: TakenRow, other: TakenRow): number =>
  one.placeAt.getTime() - other.placeAt.getTime() || (one.place < other.place ? -1 : 1);

async function claimPages(db: Db, claim: Claim): Promise<Claimed> {
  const rows = await claimDuePages(db, claim);
  return { works: rows.map((row) => ({ kind: 'page', ...row })), next: null, takenUntil: new Date(0) };
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
  { kind, id, token }: { kind: WorkKind; id: string; token: number },
  { isRetry }: { isRetry: boolean },
): Promise<Work | null> {
  const reclaimed = isRetry ? reclaimFailedWork : reclaimWork;
  const row = await reclaimed[kind](db, { id, owner, token });
  return row ? { kind, ...row } : null;
}
