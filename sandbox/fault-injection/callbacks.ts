// What becomes of a callback, decided when it is written down and kept with it.
import type { World } from '../world.ts';

interface Fate {
  /** For each copy, when to send it, in milliseconds from now; none for a lost one. */
  delaysMs: number[];
  /** Whether the only copy waits to be overtaken. */
  isHeld: boolean;
}

const ON_TIME: Fate = { delaysMs: [0], isHeld: false };
const LOST: Fate = { delaysMs: [], isHeld: false };

/** How long one is held when nothing overtakes it. */
const HELD_MS = 2000;

/** Call it inside the transaction that writes the callback. */
export function fateOf({ weather }: World, event: string): Fate {
  if (weather.isFair()) return ON_TIME;
  const meeting = weather.meet(event);
  const isStruckBy = (kind: 'callbacks.lost' | 'callbacks.duplicated' | 'callbacks.delayed') => {
    const isStruck = meeting.isStruckBy(kind);
    if (isStruck) weather.count(kind);
    return isStruck;
  };
  if (isStruckBy('callbacks.lost')) return LOST;
  const delayMs = isStruckBy('callbacks.delayed')
    ? Math.ceil(meeting.how('callbacks.delayed') * weather.forecast().callbacks.delayedMs)
    : 0;
  if (isStruckBy('callbacks.duplicated')) return { delaysMs: [0, delayMs], isHeld: false };
  if (delayMs > 0) return { delaysMs: [delayMs], isHeld: false };
  // One that is held needs a next one that is not.
  const isHeld = meeting.isStruckBy('callbacks.reordered') && !weather.held.isAnyHeld();
  return isHeld ? { delaysMs: [HELD_MS], isHeld } : ON_TIME;
}

/** Tells whoever waits for it that a callback was taken in: replies it overtook, and callbacks. */
export function callbackArrived(world: World, { id, uuid }: { id: number; uuid: string }): void {
  const { weather } = world;
  weather.arrivals.tell(uuid);
  for (let left = weather.held.overtake(id, world.now()); left > 0; left--)
    weather.count('callbacks.reordered');
}
