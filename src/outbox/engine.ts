// The engine of one process. It runs the work that this process has just committed, from memory, and the work that it claims from the
// tables. A row that it runs is leased to it; an outcome is written only by the holder of the lease (see leases.ts).
import { watchEventLoop } from '../platform/concurrency/event-loop.ts';
import { workKinds } from '../tables/work.ts';
import { createClaimer } from './claimer.ts';
import type { EngineCore } from './core.ts';
import { type HandOffTarget, newLease } from './hand-off.ts';
import type { Heartbeat } from './heartbeat.ts';
import { releaseOwnLeases } from './leases.ts';
import { createLocalWork } from './local-work.ts';
import { typesThatWait, waitsInMemory } from './payment-waits.ts';
import { createResumer } from './resume-leases.ts';
import { createRunner, releaseQueued, releaseUnstarted } from './run.ts';
import type { Work } from './work.ts';

/** The kinds of work that requests and callbacks commit. */
const committedKinds = ['effect', 'callback'] as const;

/** Start no work if the last heartbeat is older than this fraction of the death timeout. */
const MAX_HEARTBEAT_AGE_SHARE = 0.5;

export type EngineOptions = Pick<
  EngineCore,
  'db' | 'log' | 'clock' | 'handlers' | 'waited' | 'pausedTypes' | 'failingOperations'
> & {
  config: { workerConcurrency: number; processDeadAfterMs: number };
  heartbeat: Pick<Heartbeat, 'owner' | 'ageMs'>;
};

export type Engine = {
  /** Receives what this process commits. */
  handOffTarget: HandOffTarget;
  /** Resumes and claims work. Call it every second. */
  tick: () => Promise<void>;
  wake: () => void;
  /** Forgets all work: another process declared this one dead, so its leases are gone. */
  forgetAll: () => void;
  /** Milliseconds since the last claims that succeeded. */
  progressMs: () => number;
  /** Starts nothing more, releases the work that has not started, and waits up to this long for the rest. */
  stop: (withinMs: number) => Promise<void>;
  /** Releases every remaining lease. Call it after the last commit of this process. */
  releaseAll: () => Promise<void>;
};

export function createEngine(options: EngineOptions): Engine {
  const { db, log, heartbeat, config } = options;
  let isStopping = false;
  const core: EngineCore = {
    ...options,
    local: createLocalWork(config.workerConcurrency),
    owner: heartbeat.owner,
    mayStart: () => !isStopping && heartbeat.ageMs() < config.processDeadAfterMs * MAX_HEARTBEAT_AGE_SHARE,
    startQueued: () => runner.startQueued(),
    expectDue: (kinds) => claimer.expectDue(kinds),
    claimSoon: () => {
      claimer
        .claim()
        .catch((error: unknown) =>
          log.warn({ code: 'outbox.unclaimed', error }, 'work that is due could not be claimed'),
        );
    },
  };
  const runner = createRunner(core);
  const claimer = createClaimer(core);
  const resumeOwnLeases = createResumer(core);

  return {
    handOffTarget: createHandOffTarget(core),
    tick: async () => {
      if (!core.mayStart()) return;
      await releaseUnstarted(core, core.local.clearStuckQueues(), core.owner());
      await resumeOwnLeases();
      core.expectDue(workKinds);
      await claimer.claim();
    },
    wake: () => {
      core.expectDue(committedKinds);
      core.claimSoon();
    },
    forgetAll: () => core.local.clear(),
    progressMs: claimer.progressMs,
    stop: async (withinMs) => {
      isStopping = true;
      await releaseQueued(core);
      await runner.settle(withinMs);
    },
    releaseAll: async () => {
      // A claim or a commit that was in progress may have queued more.
      await releaseQueued(core);
      await releaseOwnLeases(db, core.owner());
    },
  };
}

/** Receives what this process commits: leases each piece before its commit, and queues it after. */
function createHandOffTarget(core: EngineCore): HandOffTarget {
  const { local } = core;
  const isBusy = watchEventLoop();
  return {
    lease: (work) => {
      const lease = newLease(core.owner());
      const isReserved = core.mayStart() && local.reserve({ ...work, token: lease.token }, lease.owner);
      return isReserved ? lease : null;
    },
    committed: (works, overflow) => {
      if (overflow > 0) core.expectDue(committedKinds);
      if (works.length === 0) return;
      const owner = core.owner();
      const surplus: Work[] = [];
      for (const work of works) {
        // After a takeover another process has the lease.
        if (local.find(work.id)?.owner !== owner) continue;
        // The user of a callback is known only after it was stored.
        if (work.kind === 'callback' && local.isUserAtLimit(work.userId)) surplus.push(work);
        else local.queue('handed_off', work, owner);
      }
      local.removeIds(surplus.map(({ id }) => id));
      if (surplus.length > 0)
        void releaseUnstarted(core, surplus, owner).then(() => core.expectDue(committedKinds));
      // The response that waits to be written is sent first.
      if (core.mayStart()) setImmediate(core.startQueued);
      else void releaseQueued(core);
    },
    failed: (works) => local.removeIds(works.map(({ id }) => id)),
    waits: () => waitsInMemory(local.all()),
    // If this process is busy, calls take long for that reason.
    heldUp: () => [...(isBusy() ? [] : typesThatWait.filter(local.isHeldUp)), ...core.failingOperations()],
  };
}
