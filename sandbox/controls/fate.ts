// The delivery that a tester chooses for the callbacks of one change: `{ "callback": "lost" }` or `"late"`.
import { LOST } from '../faults/callback-sent.ts';
import { refuse } from '../provider/refusal.ts';
import type { Fate } from '../seams.ts';
import { delayIn } from './values.ts';

const LATE_MS = 10_000;

/** Returns null if fault injection decides the delivery. */
export function fateIn(body: object): Fate | null {
  const asked = body as Record<string, unknown>;
  switch (asked['callback'] ?? '') {
    case '':
      return null;
    case 'lost':
      return LOST;
    case 'late':
      return { delaysMs: [delayIn(asked, 'callbackDelayMs', LATE_MS)], isDelayed: false };
    default:
      throw refuse('invalid_request', 'callback must be "lost" or "late"');
  }
}
