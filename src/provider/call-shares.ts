// How many calls to the provider may be in flight, and which one is next. Interactive calls go before background calls. Each
// priority, each compartment and each person has a largest share of the slots, which also holds while nothing else waits: a call
// in flight cannot be taken back, and calls that hang must leave slots for the others.
import { createShares, type Demand, type Rank, type Rejection, type Release } from '../fairness/shares.ts';
import type { Caller, Priority } from './call-priority.ts';

/**
 * Beyond it a person's calls are rejected immediately. It bounds memory, and is far more than can be sent in time: a client
 * that waits costs nothing, but one that is rejected immediately repeats its request immediately, which delays the others.
 */
const QUEUED_OF_ONE_PERSON = 1_000;

const ranks: Record<Priority, Rank> = { interactive: 0, background: 1 };

/** `compartment`: an operation of the provider, or one rail of it. */
export type ProviderCall = Caller & { compartment: string };
export type CallStats = Record<Priority, { inFlight: number; queued: number }>;

export type CallShares = {
  /** Waits for a slot, at most so long, in milliseconds. @returns how to give the slot back, or why there is none. */
  acquire: (call: ProviderCall, withinMs: number) => Promise<Release | Rejection>;
  /** Rejects every call that waits. */
  close: () => void;
  stats: () => CallStats;
};

/** @param slots how many calls may be in flight, at least one. Of 40 a priority has 30, a compartment 15 of these, a person 8. */
export function createCallShares(slots: number): CallShares {
  const ofPriority = Math.max(1, slots - Math.ceil(slots / 4));
  const ofCompartment = Math.ceil(ofPriority / 2);
  const ofPerson = Math.ceil(ofPriority / 4);
  const shares = createShares();

  const demandOf = ({ priority, userId, compartment }: ProviderCall): Demand => ({
    user: userId,
    compartment,
    rank: ranks[priority],
    limits: [
      ...(userId === null ? [] : [[`${priority} person ${userId}`, ofPerson] as const]),
      [`${priority} compartment ${compartment}`, ofCompartment],
      [priority, ofPriority],
      ['all', slots],
    ],
  });

  const statsOf = (priority: Priority) => ({
    inFlight: shares.inUse().get(priority) ?? 0,
    queued: shares.waiting(ranks[priority]),
  });

  return {
    acquire: (call, withinMs) =>
      shares.acquire(demandOf(call), { withinMs, mostWaiting: QUEUED_OF_ONE_PERSON }),
    close: shares.close,
    stats: () => ({ interactive: statsOf('interactive'), background: statsOf('background') }),
  };
}
