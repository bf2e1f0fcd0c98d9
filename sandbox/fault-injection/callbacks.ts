// The delivery faults of a callback. They are decided when it is stored, and stored with it.
import type { World } from '../world.ts';
import { type Fate, LOST, ON_TIME } from './fate.ts';

/** How long a callback is held if no other overtakes it. */
const HELD_MS = 2000;

/** Decides how a callback is delivered. Call it inside the transaction that writes the callback. */
export function fateOf({ faultInjection }: World, event: string): Fate {
  if (faultInjection.chosenFate.current !== null) return faultInjection.chosenFate.current;
  if (faultInjection.isOff()) return ON_TIME;
  const occurrence = faultInjection.occurrenceOf(event);
  const isStruckBy = (kind: 'callbacks.lost' | 'callbacks.duplicated' | 'callbacks.delayed') => {
    const isStruck = occurrence.shouldInject(kind);
    if (isStruck) faultInjection.count(kind);
    return isStruck;
  };
  if (isStruckBy('callbacks.lost')) return LOST;
  const delayMs = isStruckBy('callbacks.delayed')
    ? Math.ceil(occurrence.variant('callbacks.delayed') * faultInjection.configuration().callbacks.delayedMs)
    : 0;
  if (isStruckBy('callbacks.duplicated')) return { delaysMs: [0, delayMs], isHeld: false };
  if (delayMs > 0) return { delaysMs: [delayMs], isHeld: false };
  // A held callback needs a later one that is not held.
  const isHeld = occurrence.shouldInject('callbacks.reordered') && !faultInjection.held.isAnyHeld();
  return isHeld ? { delaysMs: [HELD_MS], isHeld } : ON_TIME;
}

/** Does the work. Its callbacks are delivered with this fate instead of a random one. */
export function withFate<Result>({ faultInjection }: World, fate: Fate | null, work: () => Result): Result {
  faultInjection.chosenFate.current = fate;
  try {
    return work();
  } finally {
    faultInjection.chosenFate.current = null;
  }
}

/** Notifies everything that waits for this delivery: replies that it overtook, and held callbacks. */
export function callbackArrived(world: World, { id, uuid }: { id: number; uuid: string }): void {
  const { faultInjection } = world;
  faultInjection.arrivals.tell(uuid);
  for (let left = faultInjection.held.overtake(id, world.now()); left > 0; left--)
    faultInjection.count('callbacks.reordered');
}
