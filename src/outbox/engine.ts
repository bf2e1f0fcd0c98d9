// Carries out what is due: what this process has just committed, from its memory, and what it claims from the tables. A row in
// its hands is leased to it; an outcome is written only by the holder of the lease (see leases.ts).
import type { App } from '../app.ts';
import { type WorkKind, workKinds } from '../sql/work.ts';
import { createClaimer } from './claimer.ts';
import type { Heartbeat } from './heartbeat.ts';
import { createHeld, type Held } from './held.ts';
import { handBack } from './leases.ts';
import { waitsInMemory } from './payment-waits.ts';
import { createRunner, type Runner } from './runner.ts';
import { type Carrier, newLease } from './transaction.ts';
import type { Carry, Work } from './work.ts';
import { slotsOfAPerson } from './work-shares.ts';

/** A process that could not write its heartbeat for so long, as a share of the time after which it counts as dead, begins nothing. */
const UNFIT_SHARE = 0.5;
/** Committed work that waits in memory, for each slot. What is committed beyond it stays due. */
const WAITING_PER_SLOT = 4;

export type EngineOptions = {
  app: App;
  heartbeat: Heartbeat;
  deadAfterMs: number;
  carry: Record<WorkKind, Carry>;
  /** The kinds of effects that operators have paused. */
  pausedTypes: () => Promise<ReadonlySet<string>>;
};

export type Engine = {
  /** Takes what this process commits. */
  carrier: Carrier;
  /** To be called every second. */
  tick: () => Promise<void>;
  /** Work has become due: it is claimed soon. */
  wake: () => void;
  /** Another process took this one for dead: its leases are gone. */
  forgetAll: () => void;
  /** Since rows were last claimed without an error, in milliseconds. */
  progressMs: () => number;
  /** Begins nothing new, gives back what has not begun, and waits so long for the rest. */
  stop: (withinMs: number) => Promise<void>;
  /** Gives back what is left, after the last commit of this process. */
  leave: () => Promise<void>;
};

export function createEngine({ app, heartbeat, deadAfterMs, carry, pausedTypes }: EngineOptions): Engine {
  const { owner } = heartbeat;
  const held = createHeld();
  let isStopping = false;
  const mayBegin = (): boolean => !isStopping && heartbeat.ageMs() < deadAfterMs * UNFIT_SHARE;
  const claimSoon = (): void => {
    claimer
      .claim()
      .catch((error: unknown) =>
        app.log.warn({ code: 'outbox.unclaimed', error }, 'work that is due could not be claimed'),
      );
  };
  const runner = createRunner({ app, held, carry, pausedTypes, mayBegin, freed: claimSoon });
  const claimer = createClaimer({ app, held, runner, owner, pausedTypes, mayBegin });

  return {
    carrier: createCarrier({
      held,
      runner,
      owner,
      mayBegin,
      most: WAITING_PER_SLOT * app.config.workerConcurrency,
      mostOfAPerson: slotsOfAPerson(app.config.workerConcurrency),
      left: () => claimer.expect(['effect', 'callback']),
    }),
    tick: async () => {
      if (!mayBegin()) return;
      await runner.giveBackStuck(owner());
      await claimer.takeUp();
      claimer.expect(workKinds);
      await claimer.claim();
    },
    wake: () => {
      claimer.expect(['effect', 'callback']);
      claimSoon();
    },
    forgetAll: () => {
      runner.clear();
      held.clear();
    },
    progressMs: claimer.progressMs,
    stop: async (withinMs) => {
      isStopping = true;
      await runner.giveBack(runner.clear(), owner());
      await runner.settle(withinMs);
    },
    leave: async () => {
      // What a claim or a commit that was under way has brought since it stopped.
      await runner.giveBack(runner.clear(), owner());
      await handBack(app.db, owner());
    },
  };
}

type CarrierOptions = {
  held: Held;
  runner: Runner;
  owner: () => string;
  mayBegin: () => boolean;
  /** How many pieces may wait in memory. */
  most: number;
  /** How many of them may be one person's: the rest of a pile is claimed, in turns with other people's work. */
  mostOfAPerson: number;
  /** Called when work was committed for which there was no room. */
  left: () => void;
};

function createCarrier(options: CarrierOptions): Carrier {
  const { held, runner, owner, mayBegin, most, mostOfAPerson, left } = options;
  let committing = 0;
  const isAtShare = (userId: string | null): boolean =>
    userId !== null &&
    held.all().filter(({ work, state }) => work.userId === userId && state !== 'running').length >=
      mostOfAPerson;
  return {
    lease: (work) => {
      if (!mayBegin() || isAtShare(work.userId) || runner.waiting('handed_off') + committing >= most)
        return null;
      const lease = newLease(owner());
      committing += 1;
      held.hold({ ...work, token: lease.token }, lease.owner, 'committing');
      return lease;
    },
    committed: (works, leftBehind) => {
      committing -= works.length;
      const ours = works.filter(({ id }) => held.find(id)?.owner === owner());
      if (leftBehind > 0) left();
      if (ours.length === 0) return;
      const tooMany: Work[] = [];
      for (const work of ours) {
        // Whose callback it is was not known before it was stored.
        if (work.kind === 'callback' && isAtShare(work.userId)) tooMany.push(work);
        else runner.add('handed_off', work, owner());
      }
      held.forgetIds(tooMany.map(({ id }) => id));
      if (tooMany.length > 0) void runner.giveBack(tooMany, owner()).then(left);
      // An answer that waits to be written leaves first.
      if (mayBegin()) setImmediate(runner.fill);
      else void runner.giveBack(runner.clear(), owner());
    },
    failed: (works) => {
      committing -= works.length;
      held.forgetIds(works.map(({ id }) => id));
    },
    waits: () => waitsInMemory(held.all()),
  };
}
