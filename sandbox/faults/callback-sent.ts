// The faults of a callback. They are decided when it is stored, and stored with it.

import type { SandboxContext } from '../context.ts';
import type { Fate } from '../seams.ts';

export const LOST: Fate = { delaysMs: [], isDelayed: false };
const ON_TIME: Fate = { delaysMs: [0], isDelayed: false };

/** How long a callback waits for another to overtake it. */
const PATIENCE_MS = 2000;

/** Decides how a callback is delivered. Call it inside the transaction that writes the callback. */
export function callbackStored({ faultInjection }: SandboxContext, event: string): Fate {
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
  if (isStruckBy('callbacks.duplicated')) return { delaysMs: [0, delayMs], isDelayed: false };
  if (delayMs > 0) return { delaysMs: [delayMs], isDelayed: false };
  // A callback that waits needs a later one that does not wait.
  const isDelayed =
    occurrence.shouldInject('callbacks.reordered') && !faultInjection.overtaking.isAnyWaiting();
  return isDelayed ? { delaysMs: [PATIENCE_MS], isDelayed } : ON_TIME;
}

/** Does the work. Its callbacks are delivered with this fate instead of a random one. */
export function withFate<Result>(
  { faultInjection }: SandboxContext,
  fate: Fate | null,
  work: () => Result,
): Result {
  faultInjection.chosenFate.current = fate;
  try {
    return work();
  } finally {
    faultInjection.chosenFate.current = null;
  }
}

/** Notifies everything that waits for this delivery: replies and callbacks that it overtook. */
export function callbackArrived(context: SandboxContext, { id, uuid }: { id: number; uuid: string }): void {
  const { faultInjection } = context;
  faultInjection.overtaking.arrived(uuid);
  for (let count = faultInjection.overtaking.overtake(id, context.now()); count > 0; count--)
    faultInjection.count('callbacks.reordered');
}
