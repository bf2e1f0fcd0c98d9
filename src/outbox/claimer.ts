// Finds work in the tables: what is due, and what this process has leased and does not hold in its memory.
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { type Claim, claims, claimUrgent, reclaim } from './claim.ts';
import type { Held } from './held.ts';
import { leasesOf } from './leases.ts';
import type { Runner } from './runner.ts';
import { type Work, type WorkKind, workKinds } from './work.ts';

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

export function createClaimer(options: ClaimerOptions): Claimer {
  const { app, held, runner, owner, pausedTypes, mayBegin } = options;
  const expected = new Set<WorkKind | 'urgent'>([...workKinds, 'urgent']);
  let firstKind = 0;
  let isClaiming = false;
  let progressAt = performance.now();

  const add = async (most: number, claim: (db: Db, claim: Claim) => Promise<Work[]>): Promise<boolean> => {
    const claimer = owner();
    const works = await claim(app.db, {
      owner: claimer,
      most,
      excludedTypes: [...(await pausedTypes()), ...runner.typesAtShare()],
      excludedUsers: runner.peopleAtShare(),
      now: app.clock.now(),
    });
    // Taken for dead meanwhile: other processes have them.
    if (claimer !== owner()) return false;
    for (const work of works) runner.add('claimed', work, claimer);
    runner.fill();
    return works.length > 0;
  };

  const claimAll = async (): Promise<void> => {
    // What is urgent has room of its own: it waits behind no other work that was claimed before it.
    const mostUrgent = runner.roomToClaim('urgent');
    if (mostUrgent > 0 && expected.delete('urgent') && (await add(mostUrgent, claimUrgent)))
      expected.add('urgent');
    // The kinds take turns at being first, so that a backlog of one does not keep the others waiting.
    for (let nth = 0; nth < workKinds.length; nth += 1) {
      const kind = workKinds[(firstKind + nth) % workKinds.length] as WorkKind;
      const most = runner.roomToClaim('ordinary');
      if (most <= 0) break;
      const isDue = !runner.typesAtShare().includes(kind) && expected.delete(kind);
      if (isDue && (await add(most, claims[kind]))) expected.add(kind);
    }
    firstKind = (firstKind + 1) % workKinds.length;
    progressAt = performance.now();
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
      const leases = await leasesOf(app.db, claimer);
      const leased = new Set(leases.map(({ id }) => id));
      // Their outcome was recorded after all, or another process has them.
      for (const one of failed) if (!leased.has(one.work.id)) held.forget(one);
      for (const lease of leases) {
        const before = held.find(lease.id);
        if (before !== undefined && before.state !== 'failed') continue;
        const work = await reclaim(app.db, claimer, lease, before === undefined ? null : app.clock.now());
        if (work !== null && claimer === owner()) runner.add('claimed', work, claimer);
      }
      runner.fill();
    },
    progressMs: () => performance.now() - progressAt,
  };
}
