// Looks for work in the tables: work that is due, and work that this process has leased but lacks in its memory.
import { listLeases, type WorkKind, workKinds } from '../platform/sql/work.ts';
import { type Claimable, type Claimed, claims, type Place, reclaim } from './claim.ts';
import type { EngineCore } from './core.ts';
import type { LocalPiece } from './local-work.ts';

/** Claims of one kind in a row. Each examines a limited number of users, so a claim may find nothing while others would. */
const CLAIMS_IN_A_TURN = 20;

export type Claimer = {
  /** Says that work of these kinds may be due. */
  expectDue: (kinds: readonly WorkKind[]) => void;
  /** Claims work of the expected kinds, as much as there is room for. */
  claim: () => Promise<void>;
  /** Milliseconds since the last claims that succeeded. */
  progressMs: () => number;
};

export function createClaimer(core: EngineCore): Claimer {
  const { db, clock, local } = core;
  const expected = new Set<Claimable>([...workKinds, 'urgent']);
  const places = new Map<Claimable, Place>();
  let firstKind = 0;
  let isClaiming = false;
  let progressAt = performance.now();

  /** Claims once, from where the last claim of this kind ended. Returns null if this process lost its leases meanwhile. */
  const claimOnce = async (kind: Claimable, most: number): Promise<Claimed | null> => {
    const owner = core.owner();
    const claimed = await claims[kind](db, {
      owner,
      most,
      excludedTypes: [...(await core.pausedTypes()), ...local.typesAtLimit()],
      excludedUsers: local.usersAtLimit(),
      after: places.get(kind) ?? null,
      now: clock.now(),
    });
    if (owner !== core.owner()) return null;
    for (const work of claimed.works) local.queue('claimed', work, owner);
    if (claimed.next === null) places.delete(kind);
    else places.set(kind, claimed.next);
    core.startQueued();
    return claimed;
  };

  /** Claims as much of one kind as there is room for, and examines each user at most once. Returns whether more may be due. */
  const claimKind = async (kind: Claimable): Promise<boolean> => {
    let isAround = places.get(kind) === undefined;
    let isAnyClaimed = false;
    for (let times = 0; times < CLAIMS_IN_A_TURN; times += 1) {
      const most = roomFor(kind);
      if (most <= 0) return true;
      const claimed = await claimOnce(kind, most);
      if (claimed === null) return true;
      isAnyClaimed ||= claimed.works.length > 0;
      if (claimed.next === null && isAround) return isAnyClaimed;
      isAround ||= claimed.next === null;
      if (claimed.works.length === most) return true;
    }
    return true;
  };

  const claimExpected = async (kind: Claimable): Promise<void> => {
    if (roomFor(kind) <= 0 || local.typesAtLimit().includes(kind) || !expected.delete(kind)) return;
    if (await claimKind(kind)) expected.add(kind);
  };

  const claimAll = async (): Promise<void> => {
    // Urgent work has room of its own, so it does not wait behind other claimed work.
    await claimExpected('urgent');
    // Each kind is first in turn, so a backlog of one kind does not delay the others.
    for (let nth = 0; nth < workKinds.length; nth += 1)
      await claimExpected(workKinds[(firstKind + nth) % workKinds.length] as WorkKind);
    firstKind = (firstKind + 1) % workKinds.length;
    progressAt = performance.now();
  };

  const roomFor = (kind: Claimable): number => local.roomToClaim(kind === 'urgent' ? 'urgent' : 'ordinary');

  return {
    expectDue: (kinds) => {
      for (const kind of kinds) expected.add(kind);
      if (kinds.includes('effect')) expected.add('urgent');
    },
    claim: async () => {
      if (isClaiming || expected.size === 0 || !core.mayStart()) return;
      isClaiming = true;
      await claimAll().finally(() => {
        isClaiming = false;
      });
    },
    progressMs: () => performance.now() - progressAt,
  };
}

/**
 * Resumes the rows that are leased to this process and not in its memory, because the response to a commit was lost, and the rows whose
 * outcome could not be recorded.
 */
export async function resumeOwnLeases(core: EngineCore): Promise<void> {
  const { db, local } = core;
  const owner = core.owner();
  const unrecorded = local.all().filter(({ state }) => state === 'unrecorded');
  const leases = await listLeases(db, { owner });
  const leased = new Set(leases.map(({ id }) => id));
  // The outcome was recorded after all, or another process has the lease.
  for (const piece of unrecorded) if (!leased.has(piece.work.id)) local.remove(piece);
  for (const lease of leases) {
    const piece = local.find(lease.id);
    if (piece !== undefined && !mayRetry(piece)) continue;
    const work = await reclaim(db, owner, lease, { isRetry: piece !== undefined });
    if (work === null || owner !== core.owner()) continue;
    const failures = piece && { unrecorded: (piece.work.unrecorded ?? 0) + 1 };
    local.queue('claimed', { ...work, ...failures }, owner);
  }
  core.startQueued();
}

const mayRetry = ({ state, retryAtMs = 0 }: LocalPiece): boolean =>
  state === 'unrecorded' && performance.now() >= retryAtMs;
