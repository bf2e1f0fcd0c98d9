// Claims due work: rows that are due and not leased. Users are served in turn: a claim takes at most two rows per user, and the next
// claim continues after the last user. Rows that another database transaction has locked are skipped.
import type { Db } from '../platform/database/orm.ts';
import {
  type ClaimedRow,
  claimDueCallbacks,
  claimDueEffects,
  claimDuePages,
  claimDuePolls,
  claimUrgentEffects,
  reclaimFailedWork,
  reclaimWork,
  UNKNOWN_USER,
  type WorkKind,
  type WorkRow,
} from '../platform/sql/work.ts';
import type { Work } from './work.ts';

/** `urgent`: conversions whose quotes are about to expire. */
export type Claimable = WorkKind | 'urgent';

export type Claim = {
  owner: string;
  most: number;
  /** Types of effects that operators have paused, and types at their limit in this process. */
  excludedTypes: string[];
  /** Users at their limit in this process. */
  excludedUsers: string[];
  /** Where the last claim of this kind ended. Null: the claim begins at the start. */
  after: Place | null;
  /**
   * The service's clock, by which polls are planned with the rest of what a snapshot changes. A clock that is wrong makes polls early or
   * late by as much, and decides nothing else.
   */
  now: Date;
};

/** The last user that a claim examined. For polls: when the last examined poll was due, and its handle. */
export type Place = { key: string; dueAt: Date | null };

export type Claimed = {
  works: Work[];
  /** Where the next claim begins. Null if this claim has examined all due work after its beginning. */
  next: Place | null;
};

export const claims: Record<Claimable, (db: Db, claim: Claim) => Promise<Claimed>> = {
  urgent: (db, claim) => claimByUser(db, 'effect', claimUrgentEffects, claim),
  effect: (db, claim) => claimByUser(db, 'effect', claimDueEffects, claim),
  callback: (db, claim) => claimByUser(db, 'callback', claimDueCallbacks, claim),
  poll: claimPolls,
  page: claimPages,
};

async function claimByUser(
  db: Db,
  kind: WorkKind,
  claimRows: typeof claimDueEffects,
  { owner, most, excludedTypes, excludedUsers, after }: Claim,
): Promise<Claimed> {
  const rows = await claimRows(db, {
    owner,
    most,
    excludedTypes,
    excludedUsers,
    after: after?.key ?? '00000000-0000-0000-0000-000000000000',
  });
  return claimedOf(kind, rows, most);
}

async function claimPolls(db: Db, { owner, most, excludedUsers, after, now }: Claim): Promise<Claimed> {
  const rows = await claimDuePolls(db, {
    owner,
    most,
    excludedUsers,
    afterDueAt: after?.dueAt ?? '-infinity',
    after: after?.key ?? UNKNOWN_USER,
    now,
  });
  return claimedOf('poll', rows, most);
}

async function claimPages(db: Db, { owner, most, now }: Claim): Promise<Claimed> {
  const { works } = claimedOf('page', await claimDuePages(db, { owner, most, now }), most);
  return { works, next: null };
}

function claimedOf(kind: WorkKind, rows: ClaimedRow[], most: number): Claimed {
  const works = rows.flatMap((row) => (row.id === null ? [] : [workFrom(kind, row)]));
  const places = rows
    .filter(({ id }) => id === null || works.length >= most)
    .map(({ place, placeAt }): Place => ({ key: place, dueAt: placeAt }));
  return { works, next: places.toSorted(comparePlaces).at(-1) ?? null };
}

const comparePlaces = (one: Place, other: Place): number =>
  (one.dueAt?.getTime() ?? 0) - (other.dueAt?.getTime() ?? 0) || (one.key < other.key ? -1 : 1);

const workFrom = (kind: WorkKind, { id, userId, type, token, isUrgent, waitedMs }: WorkRow): Work => ({
  kind,
  id,
  userId,
  type,
  token,
  isUrgent,
  waitedMs,
});

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
  return row ? workFrom(kind, row) : null;
}
