// The bulkhead: how many calls to the provider may be in flight, and which one is next. Interactive calls go before
// background calls. Each priority, each compartment and each person has a largest share of the slots, which holds while
// nothing else waits, too: a call in flight cannot be taken back, and calls that hang must leave slots for the others.
import { createFairQueue, type FairQueue } from '../fairness/fair-queue.ts';
import type { Caller, Priority } from './call-priority.ts';

/**
 * Beyond it a person's calls are rejected immediately. It bounds memory, and is far more than can be sent in time: a client
 * that waits costs nothing, but one that is rejected immediately repeats its request immediately, which delays the others.
 */
const QUEUED_OF_ONE_PERSON = 1_000;

/** `compartment`: an operation of the provider, or one rail of it. */
export type BulkheadCall = Caller & { compartment: string };
export type Release = () => void;
/** Why there is no slot: none in time, too many calls of this person wait, or the process stops. */
export type Rejection = 'timed_out' | 'queue_full' | 'closed';
export type BulkheadStats = Record<Priority, { inFlight: number; queued: number }>;

export type Bulkhead = {
  /** Waits for a slot, at most so long, in milliseconds. @returns how to give the slot back, or why there is none. */
  acquire: (call: BulkheadCall, withinMs: number) => Promise<Release | Rejection>;
  /** Rejects every call that waits. */
  close: () => void;
  stats: () => BulkheadStats;
};

type Waiting = BulkheadCall & { settle: (slot: Release | Rejection) => void };

/** @param limit how many slots there are, at least one. */
export function createBulkhead(limit: number): Bulkhead {
  const shares = sharesOf(limit);
  const inFlight = new Set<BulkheadCall>();
  const queues: Record<Priority, FairQueue<Waiting>> = {
    interactive: createFairQueue<Waiting>(turnOf),
    background: createFairQueue<Waiting>(turnOf),
  };

  const inFlightOf = (priority: Priority): BulkheadCall[] =>
    [...inFlight].filter((call) => call.priority === priority);

  const next = (priority: Priority): Waiting | null => {
    if (queues[priority].size() === 0) return null;
    const beside = inFlightOf(priority);
    if (inFlight.size >= limit || beside.length >= shares.ofPriority) return null;
    const compartments = full(beside, ({ compartment }) => compartment, shares.ofCompartment);
    const people = full(
      beside.filter(({ userId }) => userId !== null),
      ({ userId }) => userId,
      shares.ofPerson,
    );
    return queues[priority].next(
      ({ compartment, userId }) => !compartments.has(compartment) && !people.has(userId),
    );
  };

  const grant = (call: Waiting): void => {
    inFlight.add(call);
    call.settle(() => {
      inFlight.delete(call);
      grantNext();
    });
  };

  const grantNext = (): void => {
    for (const priority of ['interactive', 'background'] as const)
      for (let call = next(priority); call !== null; call = next(priority)) grant(call);
  };

  const wait = (call: BulkheadCall, withinMs: number): Promise<Release | Rejection> =>
    new Promise((resolve) => {
      const queue = queues[call.priority];
      const waiting: Waiting = {
        ...call,
        settle: (slot) => {
          clearTimeout(deadline);
          resolve(slot);
        },
      };
      const deadline = setTimeout(() => {
        queue.remove(waiting);
        resolve('timed_out');
      }, withinMs);
      queue.add(waiting);
      grantNext();
    });

  const queuedOf = (priority: Priority, person: string): number =>
    queues[priority].items().filter(({ userId }) => userId === person).length;

  const statsOf = (priority: Priority) => ({
    inFlight: inFlightOf(priority).length,
    queued: queues[priority].size(),
  });

  return {
    acquire: async (call, withinMs) => {
      const { priority, userId } = call;
      const isFull = userId !== null && queuedOf(priority, userId) >= QUEUED_OF_ONE_PERSON;
      return isFull ? 'queue_full' : wait(call, withinMs);
    },
    close: () => {
      for (const queue of Object.values(queues)) for (const call of queue.clear()) call.settle('closed');
    },
    stats: () => ({ interactive: statsOf('interactive'), background: statsOf('background') }),
  };
}

const turnOf = ({ compartment, userId }: BulkheadCall) => ({ compartment, person: userId ?? '' });

/** Of 40 slots a priority may hold 30, a compartment 15 of these, and a person 8. */
function sharesOf(limit: number) {
  const ofPriority = Math.max(1, limit - Math.ceil(limit / 4));
  return { ofPriority, ofCompartment: Math.ceil(ofPriority / 2), ofPerson: Math.ceil(ofPriority / 4) };
}

/** The keys of which so many calls are in flight. */
const full = <Key>(calls: BulkheadCall[], keyOf: (call: BulkheadCall) => Key, share: number): Set<Key> =>
  new Set([...Map.groupBy(calls, keyOf)].filter(([, ofKey]) => ofKey.length >= share).map(([key]) => key));
