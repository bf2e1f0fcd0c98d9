// Carries out what is due: what this process has just committed, from memory, and what it claims from the tables. A row in its
// hands is leased to it; an outcome is written only by the holder of the lease (see leases.ts).
import type { App } from '../app.ts';
import { settledWithin } from '../time/settled-within.ts';
import { claims, reclaim } from './claim.ts';
import { createFairQueue } from './fair-queue.ts';
import type { Heartbeat } from './heartbeat.ts';
import { handBack, LeaseLost, leasesOf, release } from './leases.ts';
import { createSlots, type Origin } from './slots.ts';
import { type Carrier, newLease } from './transaction.ts';
import type { Carry, Work, WorkKind } from './work.ts';

/** A process that could not write its heartbeat for so long, as a share of the time after which it counts as dead, begins nothing. */
const UNFIT_SHARE = 0.5;
/** Longer than the deadlines of the database and of the provider let any work take. */
const RUN_WITHIN_MS = 120_000;
/** What was committed longer ago than this is read again: its row may have moved on. */
const FRESH_MS = 1_000;
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
  carrier: Carrier;
  /** Takes up what is leased to this process and not in its memory, and claims what is due. To be called every second. */
  tick: () => Promise<void>;
  /** Work is due: it is claimed soon. */
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

/** `committing`: its transaction has not ended. `failed`: its outcome could not be recorded. */
type Held = {
  work: Work;
  owner: string;
  /** On `performance.now()`. */
  sinceMs: number;
  state: 'committing' | 'waiting' | 'running' | 'failed';
};

const kinds = ['effect', 'callback', 'poll'] as const;

export function createEngine({ app, heartbeat, deadAfterMs, carry, pausedTypes }: EngineOptions): Engine {
  const { db, log, clock } = app;
  const total = app.config.workerConcurrency;
  const slots = createSlots(total);
  const queues = { handed_off: createFairQueue(), claimed: createFairQueue() };
  const held = new Map<string, Held>();
  const running = new Set<Promise<void>>();
  let committing = 0;
  let isStopping = false;
  let isClaiming = false;
  // Kinds of which more may be due than was claimed last.
  const mayHaveMore = new Set<WorkKind>(kinds);
  let firstKind = 0;
  let progressAt = performance.now();

  const isFit = (): boolean => !isStopping && heartbeat.ageMs() < deadAfterMs * UNFIT_SHARE;

  const fill = (): void => {
    if (!isFit()) return;
    for (const origin of ['handed_off', 'claimed'] as const)
      for (;;) {
        const work = queues[origin].next((one) => slots.mayBegin(origin, one));
        if (work === null) break;
        begin(origin, work);
      }
  };

  const begin = (origin: Origin, work: Work): void => {
    const one = held.get(work.id);
    if (one === undefined || one.work !== work) return;
    one.state = 'running';
    const free = slots.begin(origin, work);
    const run = carryOut(one).finally(() => {
      free();
      running.delete(run);
      fill();
      if (mayHaveMore.size > 0) wake();
    });
    running.add(run);
  };

  const carryOut = async (one: Held): Promise<void> => {
    const { work, owner } = one;
    const forget = (): void => {
      if (held.get(work.id) === one) held.delete(work.id);
    };
    try {
      if (work.kind === 'effect' && (await pausedTypes()).has(work.type)) {
        await release(db, owner, work.kind, [work.id]);
        return forget();
      }
      const { committed, ...read } = work;
      const isFresh = committed !== undefined && performance.now() - one.sinceMs < FRESH_MS;
      const carried = carry[work.kind](isFresh ? { ...read, committed } : read);
      if (!(await settledWithin(RUN_WITHIN_MS, carried)))
        throw new Error('it did not come to an end in time');
      await carried;
      forget();
    } catch (error) {
      if (error instanceof LeaseLost) {
        log.info({ code: 'outbox.lease_lost', work: work.kind, id: work.id }, 'the lease of a row was lost');
        return forget();
      }
      // It is taken up again by the next tick, as long as its lease is ours.
      one.state = 'failed';
      log.warn(
        { code: 'outbox.unrecorded', error, work: work.kind, id: work.id },
        'the outcome of work could not be recorded: it is carried out again',
      );
    }
  };

  const wait = (origin: Origin, work: Work, owner: string): void => {
    held.set(work.id, { work, owner, sinceMs: performance.now(), state: 'waiting' });
    queues[origin].add(work);
  };

  const carrier: Carrier = {
    lease: (work) => {
      if (!isFit() || queues.handed_off.size() + committing >= WAITING_PER_SLOT * total) return null;
      const owner = heartbeat.owner();
      const lease = newLease(owner);
      committing += 1;
      held.set(work.id, {
        work: { ...work, token: lease.token, isRerun: false },
        owner,
        sinceMs: performance.now(),
        state: 'committing',
      });
      return lease;
    },
    committed: (works, left) => {
      committing -= works.length;
      for (const work of works) {
        const owner = held.get(work.id)?.owner;
        if (owner === heartbeat.owner() && !isStopping) wait('handed_off', work, owner);
        else held.delete(work.id);
      }
      if (isStopping) void giveBack(works);
      // An answer that waits to be written leaves first.
      else if (works.length > 0) setImmediate(fill);
      if (left > 0) mayHaveMore.add('effect').add('callback');
    },
    failed: (works) => {
      committing -= works.length;
      for (const { id } of works) held.delete(id);
    },
  };

  /** Where the database does not answer, the leases end with this process. */
  const giveBack = async (works: Work[]): Promise<void> => {
    for (const { id } of works) held.delete(id);
    for (const kind of kinds) {
      const ids = works.filter((work) => work.kind === kind).map(({ id }) => id);
      if (ids.length > 0) await release(db, heartbeat.owner(), kind, ids).catch(() => undefined);
    }
  };

  const claim = async (): Promise<void> => {
    if (isClaiming || !isFit()) return;
    isClaiming = true;
    try {
      const owner = heartbeat.owner();
      const pausedNow = [...(await pausedTypes())];
      for (let nth = 0; nth < kinds.length; nth += 1) {
        const kind = kinds[(firstKind + nth) % kinds.length] ?? 'effect';
        const most = slots.free('claimed') - queues.claimed.size();
        if (most <= 0) break;
        if (!mayHaveMore.delete(kind)) continue;
        const works = await claims[kind](db, {
          owner,
          most,
          pausedTypes: pausedNow,
          excludedUsers: [...new Set([...slots.peopleAtShare(), ...queues.claimed.people()])],
          now: clock.now(),
        });
        if (owner !== heartbeat.owner()) return;
        for (const work of works) wait('claimed', work, owner);
        if (works.length > 0) mayHaveMore.add(kind);
        fill();
      }
      firstKind = (firstKind + 1) % kinds.length;
      progressAt = performance.now();
    } finally {
      isClaiming = false;
    }
  };

  const wake = (): void => {
    claim().catch((error: unknown) =>
      log.warn({ code: 'outbox.unclaimed', error }, 'work that is due could not be claimed'),
    );
  };

  /** Leases of this process that it does not hold in memory, and work whose outcome could not be recorded. */
  const takeUp = async (): Promise<void> => {
    const owner = heartbeat.owner();
    const failed = [...held.values()].filter(({ state }) => state === 'failed');
    const leases = await leasesOf(db, owner);
    const leased = new Set(leases.map(({ id }) => id));
    for (const one of failed)
      if (!leased.has(one.work.id) && held.get(one.work.id) === one) held.delete(one.work.id);
    for (const lease of leases) {
      const before = held.get(lease.id);
      if (before !== undefined && before.state !== 'failed') continue;
      const work = await reclaim(db, owner, lease);
      if (work === null || owner !== heartbeat.owner()) continue;
      wait('claimed', { ...work, isRerun: before !== undefined }, owner);
    }
    fill();
  };

  return {
    carrier,
    wake: () => {
      mayHaveMore.add('effect').add('callback');
      wake();
    },
    tick: async () => {
      if (!isFit()) return;
      await takeUp();
      for (const kind of kinds) mayHaveMore.add(kind);
      await claim();
      fill();
    },
    forgetAll: () => {
      queues.handed_off.clear();
      queues.claimed.clear();
      held.clear();
    },
    progressMs: () => performance.now() - progressAt,
    stop: async (withinMs) => {
      isStopping = true;
      await giveBack([...queues.handed_off.clear(), ...queues.claimed.clear()]);
      await settledWithin(withinMs, Promise.all(running));
    },
    leave: () => handBack(db, heartbeat.owner(), clock.now()),
  };
}
