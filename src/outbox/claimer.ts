// Looks for due work in the tables.
import { NIL_UUID } from '../domain/ids.ts';
import { type WorkKind, workKinds } from '../tables/work.ts';
import { type Claimable, type Claimed, claims, type Place } from './claim.ts';
import type { EngineCore } from './core.ts';
import { createTakenUntil, type TakenUntil } from './taken-until.ts';

/** Claims of one kind in a row. Each examines a limited number of rows, so a claim may find nothing while others would. */
const CLAIMS_IN_A_TURN = 20;

export function createClaimer(core: EngineCore) {
  const { db, clock, local } = core;
  const expected = new Set<Claimable>([...workKinds, 'urgent']);
  /** The place at which the last claim of each kind ended. A kind without a place is claimed from the beginning. */
  const places = new Map<Claimable, Place>();
  /** The other kinds are always claimed from the beginning. */
  const taken = new Map<Claimable, TakenUntil>();
  for (const kind of ['effect', 'callback', 'poll'] as const) taken.set(kind, createTakenUntil());
  let paused: ReadonlySet<string> = new Set();
  let firstKind = 0;
  let isClaiming = false;
  let progressAt = performance.now();

  /**
   * Claims once, from where the last claim of this kind ended. Returns null if another process claims this kind at present, or if this
   * process lost its leases meanwhile.
   */
  const claimOnce = async (kind: Claimable, limit: number): Promise<Claimed | null> => {
    const owner = core.owner();
    const until = taken.get(kind);
    const pausedTypes = await pausedNow();
    const since = places.has(kind) ? null : until?.begin();
    const claimed = await claims[kind](db, {
      owner,
      limit,
      pausedTypes,
      excludedTypes: [...pausedTypes, ...local.typesAtLimit()],
      excludedUsers: local.usersAtLimit(),
      after: places.get(kind) ?? (since ? { at: since, id: NIL_UUID } : null),
      now: clock.now(),
    });
    if (claimed === null) return null;
    until?.looked(claimed.takenUntil, claimed.next === null);
    if (owner !== core.owner()) return null;
    for (const work of claimed.works) local.queue('claimed', work, owner);
    if (claimed.next === null) places.delete(kind);
    else places.set(kind, claimed.next);
    core.startQueued();
    return claimed;
  };

  /** Returns the paused types. Effects of a type that is not paused any more may have been due for long. */
  const pausedNow = async (): Promise<string[]> => {
    const before = paused;
    paused = new Set(await core.pausedTypes());
    if ([...before].some((type) => !paused.has(type))) taken.get('effect')?.forget();
    return [...paused];
  };

  /** Claims as much of one kind as there is room for, and examines each user at most once. Returns whether more may be due. */
  const claimKind = async (kind: Claimable): Promise<boolean> => {
    let isAround = places.get(kind) === undefined;
    let isAnyClaimed = false;
    for (let times = 0; times < CLAIMS_IN_A_TURN; times += 1) {
      const limit = roomFor(kind);
      if (limit <= 0) return true;
      const claimed = await claimOnce(kind, limit);
      if (claimed === null) return true;
      isAnyClaimed ||= claimed.works.length > 0;
      if (claimed.next === null && isAround) return isAnyClaimed;
      isAround ||= claimed.next === null;
      if (claimed.works.length === limit) return true;
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
    /** Says that work of these kinds may be due. */
    expectDue: (kinds: readonly WorkKind[]): void => {
      for (const kind of kinds) expected.add(kind);
      if (kinds.includes('effect')) expected.add('urgent');
    },
    /** Claims work of the expected kinds, as much as there is room for. */
    claim: async (): Promise<void> => {
      if (isClaiming || expected.size === 0 || !core.mayStart()) return;
      isClaiming = true;
      await claimAll().finally(() => {
        isClaiming = false;
      });
    },
    /** Milliseconds since the last claims that succeeded. */
    progressMs: (): number => performance.now() - progressAt,
  };
}
