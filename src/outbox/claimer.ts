// Finds work in the tables: what is due, and what this process has leased and does not hold in its memory.
import type { App } from '../app.ts';
import { listLeases, type WorkKind, workKinds } from '../sql/work.ts';
import { type Claimable, type Claimed, claims, type Place, reclaim } from './claim.ts';
import type { Held, HeldWork } from './held.ts';
import type { Runner } from './runner.ts';

/** Claims of one kind, one after the other: each looks at so many people that one may find nothing it may take. */
const CLAIMS_IN_A_TURN = 20;

export type ClaimerOptions = {
  app: App;
  held: Held;
  runner: Runner;
  /** The id under which this process leases. */
  owner: () => string;
  pausedTypes: () => Promise<ReadonlySet<string>>;
  mayBegin: () => boolean;
};

export type Claimer = {
  /** Of these kinds there may be work that is due. */
  expect: (kinds: readonly WorkKind[]) => void;
  /** Claims as much of what may be due as there is room for. */
  claim: () => Promise<void>;
  /** Takes up what is leased to this process and not in its memory: the answer to a commit, or an outcome, was lost. */
  takeUp: () => Promise<void>;
  /** Since rows were last claimed without an error, in milliseconds. */
  progressMs: () => number;
};

const mayRunAgain = ({ state, retryAtMs = 0 }: HeldWork): boolean =>
  state === 'failed' && performance.now() >= retryAtMs;

export function createClaimer(options: ClaimerOptions): Claimer {
  const { app, held, runner, owner, pausedTypes, mayBegin } = options;
  const expected = new Set<Claimable>([...workKinds, 'urgent']);
  const places = new Map<Claimable, Place>();
  let firstKind = 0;
  let isClaiming = false;
  let progressAt = performance.now();

  /** One claim, which goes on where the last one of its kind ended. @returns null when its rows are another process's by now. */
  const claimOnce = async (kind: Claimable, most: number): Promise<Claimed | null> => {
    const claimer = owner();
    const claimed = await claims[kind](app.db, {
      owner: claimer,
      most,
      excludedTypes: [...(await pausedTypes()), ...runner.typesAtShare()],
      excludedUsers: runner.peopleAtShare(),
      after: places.get(kind) ?? null,
      now: app.clock.now(),
    });
    // Taken for dead meanwhile: other processes have them.
    if (claimer !== owner()) return null;
    for (const work of claimed.works) runner.add('claimed', work, claimer);
    if (claimed.next === null) places.delete(kind);
    else places.set(kind, claimed.next);
    runner.fill();
    return claimed;
  };

  /** Claims what there is room for, at most once around. @returns whether more of the kind may be due. */
  const claimKind = async (kind: Claimable): Promise<boolean> => {
    let isAround = places.get(kind) === undefined;
    let isAnyClaimed = false;
    for (let times = 0; times < CLAIMS_IN_A_TURN; times += 1) {
      const most = runner.roomToClaim(kind === 'urgent' ? 'urgent' : 'ordinary');
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

  const claimAll = async (): Promise<void> => {
    // What is urgent has room of its own: it waits behind no other work that was claimed before it.
    await claimExpected('urgent');
    // The kinds take turns at being first, so that a backlog of one does not keep the others waiting.
    for (let nth = 0; nth < workKinds.length; nth += 1)
      await claimExpected(workKinds[(firstKind + nth) % workKinds.length] as WorkKind);
    firstKind = (firstKind + 1) % workKinds.length;
    progressAt = performance.now();
  };

  const claimExpected = async (kind: Claimable): Promise<void> => {
    if (runner.roomToClaim(kind === 'urgent' ? 'urgent' : 'ordinary') <= 0) return;
    if (runner.typesAtShare().includes(kind) || !expected.delete(kind)) return;
    if (await claimKind(kind)) expected.add(kind);
  };

  return {
    expect: (kinds) => {
      for (const kind of kinds) expected.add(kind);
      if (kinds.includes('effect')) expected.add('urgent');
    },
    claim: async () => {
      if (isClaiming || expected.size === 0 || !mayBegin()) return;
      isClaiming = true;
      await claimAll().finally(() => {
        isClaiming = false;
      });
    },
    takeUp: async () => {
      const claimer = owner();
      const failed = held.failed();
      const leases = await listLeases(app.db, { owner: claimer });
      const leased = new Set(leases.map(({ id }) => id));
      // Their outcome was recorded after all, or another process has them.
      for (const one of failed) if (!leased.has(one.work.id)) held.forget(one);
      for (const lease of leases) {
        const before = held.find(lease.id);
        if (before !== undefined && !mayRunAgain(before)) continue;
        const unrecorded = before && (before.work.unrecorded ?? 0) + 1;
        const work = await reclaim(app.db, claimer, lease, { isRetry: before !== undefined });
        if (work !== null && claimer === owner())
          runner.add('claimed', { ...work, ...(unrecorded !== undefined && { unrecorded }) }, claimer);
      }
      runner.fill();
    },
    progressMs: () => performance.now() - progressAt,
  };
}
