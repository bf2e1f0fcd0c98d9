// Limits the calls to the provider that are in flight, and decides which one is sent next. Interactive calls are sent before
// background calls until they have half of the slots: payments that the confirmations have made must go on. Each priority, compartment and user has a maximum share of the slots, even while no other call is queued: a call
// in flight keeps its slot until it ends, and calls that hang must leave slots for the others.
import {
  createShares,
  type Demand,
  type Rank,
  type Rejection,
  type Release,
} from '../platform/concurrency/shares.ts';
import type { Caller, Priority } from './caller.ts';

/**
 * The maximum number of queued calls per user. Further calls are rejected immediately. The limit bounds memory. It is far above the
 * number of calls that can be sent in time, because a queued call costs little, while a rejected client retries immediately and
 * delays the others.
 */
const QUEUED_PER_USER = 1_000;

const ranks: Record<Priority, Rank> = { interactive: 0, background: 1 };

/** A call that needs a slot. `compartment` is an operation of the provider, or one rail of that operation. */
export type ProviderCall = Pick<Caller, 'priority' | 'userId'> & { compartment: string };
export type CallStats = Record<Priority, { inFlight: number; queued: number }>;

export type CallShares = {
  /** Waits for a slot for at most `withinMs` milliseconds. Returns the function that frees the slot, or why there is none. */
  acquire: (call: ProviderCall, withinMs: number) => Promise<Release | Rejection>;
  close: () => void;
  stats: () => CallStats;
};

/**
 * Creates the limits. With 40 slots a priority may use 30, and within a priority a compartment 15 and a user 8.
 * @param slots the maximum number of calls in flight, at least one.
 */
export function createCallShares(slots: number): CallShares {
  const ofPriority = Math.max(1, slots - Math.ceil(slots / 4));
  const firstUpTo = Math.ceil(slots / 2);
  const ofCompartment = Math.ceil(ofPriority / 2);
  const ofUser = Math.ceil(ofPriority / 4);
  const shares = createShares();

  const demandOf = ({ priority, userId, compartment }: ProviderCall): Demand => ({
    user: userId,
    compartment,
    rank: ranks[priority],
    firstUpTo: ['interactive', firstUpTo],
    limits: [
      ...(userId === null ? [] : [[`${priority} user ${userId}`, ofUser] as const]),
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
    acquire: (call, withinMs) => shares.acquire(demandOf(call), { withinMs, maxWaiting: QUEUED_PER_USER }),
    close: shares.close,
    stats: () => ({ interactive: statsOf('interactive'), background: statsOf('background') }),
  };
}
