// A request that was never answered may still be on the wire. A refusal of its repetition proves nothing until that time
// has passed: the first could go through beside a failure that we had already told the user.
import type { App } from '../app.ts';
import { ProviderUnknown } from '../provider/errors.ts';
import type { EffectRow } from './effect.ts';

/** How long a request can take to arrive after we have stopped waiting for its answer. */
export const IN_FLIGHT_MS = 30_000;

/** Thrown to be tried again once no earlier request can be on its way any more. When that is, is known. */
export class StillInFlight extends ProviderUnknown {
  /** For how much longer, in milliseconds. */
  readonly leftMs: number;

  constructor(operation: string, what: string, leftMs: number) {
    super(operation, `${what}, but an earlier request may still go through`);
    this.name = 'StillInFlight';
    this.leftMs = leftMs;
  }
}

/** @throws StillInFlight while an unanswered request of this effect could still arrive. */
export function assertNothingInFlight(app: App, effect: EffectRow): void {
  if (effect.unknown_at === null) return;
  const leftMs = effect.unknown_at.getTime() + IN_FLIGHT_MS - app.clock.now().getTime();
  if (leftMs > 0) throw new StillInFlight(effect.type, 'refused', leftMs);
}
