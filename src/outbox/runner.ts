// Runs the work that this process holds, as many pieces concurrently as it has slots.
import type { App } from '../app.ts';
import { createFairQueue, type FairQueue } from '../fairness/fair-queue.ts';
import { releaseWork, type WorkKind, workKinds } from '../sql/work.ts';
import { settledWithin } from '../time/settled-within.ts';
import type { Held, HeldWork } from './held.ts';
import { LeaseLost } from './leases.ts';
import type { Carry, Work } from './work.ts';
import { createWorkShares, type Origin, origins } from './work-shares.ts';

/** The delay before work whose outcome could not be recorded runs again. */
const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** Longer than the deadlines of the database and of the provider let any work take. */
const RUN_WITHIN_MS = 120_000;
/** Where nothing has begun for so long and no slot is free, calls hang: what waits behind them is left to other processes. */
const STUCK_AFTER_MS = 2_000;
/** What waits for a slot: what is urgent goes first. */
const urgencies = ['urgent', 'ordinary'] as const;
export type Urgency = (typeof urgencies)[number];
/** What was committed longer ago than this is read again: its row may have moved on. */
const FRESH_MS = 1_000;

export type RunnerOptions = {
  app: App;
  held: Held;
  carry: Record<WorkKind, Carry>;
  /** The kinds of effects that operators have paused. */
  pausedTypes: () => Promise<ReadonlySet<string>>;
  /** Whether this process may begin anything. */
  mayBegin: () => boolean;
  /** Called when a slot has become free. */
  freed: () => void;
};

export type Runner = {
  add: (origin: Origin, work: Work, owner: string) => void;
  /** Begins what may begin. */
  fill: () => void;
  waiting: (origin: Origin) => number;
  /**
   * How much may be claimed: ahead of the free slots, because a claim costs the same for one row and for many. What waits for a
   * share of its person or its type takes no room, and what is urgent takes none of the rest's.
   */
  roomToClaim: (urgency: Urgency) => number;
  /** People and types of work that have their share, what waits included: of these no more is claimed. */
  peopleAtShare: () => string[];
  typesAtShare: () => string[];
  /** @returns all that waits, which is then no longer in the memory. */
  clear: () => Work[];
  /** Ends the leases of work that was not begun. */
  giveBack: (works: Work[], owner: string) => Promise<void>;
  /** Gives back what waits behind calls that hang. To be called every second. */
  giveBackStuck: (owner: string) => Promise<void>;
  /** Waits for what runs, at most so long, in milliseconds. */
  settle: (withinMs: number) => Promise<void>;
};

export function createRunner({ app, held, carry, pausedTypes, mayBegin, freed }: RunnerOptions): Runner {
  const { db, log } = app;
  const total = app.config.workerConcurrency;
  const slots = createWorkShares(total);
  const queues = { handed_off: createQueues(), claimed: createQueues() };
  const running = new Set<Promise<void>>();
  const lastBegunAt: Record<Origin, number> = { handed_off: performance.now(), claimed: performance.now() };
  const isStuck = (origin: Origin): boolean =>
    slots.free(origin) === 0 && performance.now() - lastBegunAt[origin] > STUCK_AFTER_MS;

  const fill = (): void => {
    if (!mayBegin()) return;
    for (const urgency of urgencies)
      for (const origin of origins)
        for (;;) {
          const work = queues[origin][urgency].next((one) => slots.mayBegin(origin, one));
          if (work === null) break;
          begin(origin, work);
        }
  };

  const waitingOf = (origin: Origin): Work[] =>
    urgencies.flatMap((urgency) => queues[origin][urgency].items());

  const begin = (origin: Origin, work: Work): void => {
    const one = held.find(work.id);
    if (one?.work !== work) return;
    one.state = 'running';
    // What is urgent may begin where all these slots hang.
    if (slots.free(origin) > 0) lastBegunAt[origin] = performance.now();
    const free = slots.begin(origin, work);
    const run = runOne(one).finally(() => {
      free();
      running.delete(run);
      fill();
      freed();
    });
    running.add(run);
  };

  const runOne = async (one: HeldWork): Promise<void> => {
    try {
      await carryOut(one);
      held.forget(one);
    } catch (error) {
      const { kind, id } = one.work;
      if (error instanceof LeaseLost) {
        held.forget(one);
        log.info({ code: 'outbox.lease_lost', work: kind, id }, 'the lease of a row was lost');
        return;
      }
      // A later tick resumes it, if this process still has the lease.
      one.state = 'failed';
      one.retryAtMs = performance.now() + retryIn(one.work);
      log.warn(
        { code: 'outbox.unrecorded', error, work: kind, id },
        'the outcome of work could not be recorded: it runs again later',
      );
    }
  };

  const carryOut = async ({ work, owner, sinceMs }: HeldWork): Promise<void> => {
    if (work.kind === 'effect' && (await pausedTypes()).has(work.type)) {
      await releaseWork.effect(db, { owner, ids: [work.id] });
      return;
    }
    const { committed, ...read } = work;
    const isFresh = committed !== undefined && performance.now() - sinceMs < FRESH_MS;
    const carried = carry[work.kind](isFresh ? { ...read, committed } : read);
    if (!(await settledWithin(RUN_WITHIN_MS, carried))) throw new Error('the work did not end in time');
    await carried;
  };

  const clearQueue = (origin: Origin): Work[] => {
    const works = urgencies.flatMap((urgency) => queues[origin][urgency].clear());
    held.forgetIds(works.map(({ id }) => id));
    return works;
  };

  const giveBack = async (works: Work[], owner: string): Promise<void> => {
    for (const kind of workKinds) {
      const ids = works.filter((work) => work.kind === kind).map(({ id }) => id);
      // Where the database does not answer, the leases end with this process.
      if (ids.length > 0) await releaseWork[kind](db, { owner, ids }).catch(() => undefined);
    }
  };

  return {
    add: (origin, work, owner) => {
      held.hold(work, owner, 'waiting');
      queues[origin][work.isUrgent ? 'urgent' : 'ordinary'].add(work);
    },
    fill,
    waiting: (origin) => queues[origin].urgent.size() + queues[origin].ordinary.size(),
    roomToClaim: (urgency) => {
      if (isStuck('claimed')) return urgency === 'urgent' ? slots.freeForUrgent() : 0;
      const soon = queues.claimed[urgency].items().filter(slots.isWithinShares).length;
      return soon > total / 2 ? 0 : total - soon;
    },
    peopleAtShare: () => slots.peopleAtShare(waitingOf('claimed')),
    typesAtShare: () => slots.typesAtShare(waitingOf('claimed')),
    clear: () => origins.flatMap(clearQueue),
    giveBack,
    giveBackStuck: (owner) => giveBack(origins.filter(isStuck).flatMap(clearQueue), owner),
    settle: async (withinMs) => {
      await settledWithin(withinMs, Promise.all(running));
    },
  };
}

/** One second after the first failure, then twice as long each time, at most a minute. */
const retryIn = ({ unrecorded = 0 }: Work): number =>
  Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** Math.min(unrecorded, 10));

const createQueues = (): Record<Urgency, FairQueue<Work>> => ({
  urgent: createFairQueue(turnOf),
  ordinary: createFairQueue(turnOf),
});

/** Work of nobody's takes its turn as a person's of its own. */
const turnOf = ({ userId, kind }: Work) => ({ person: userId ?? kind });
