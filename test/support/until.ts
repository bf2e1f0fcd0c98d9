// Waits for a condition. The limit is longer than a busy machine needs and shorter than the time-out of a test, so that a condition
// that never holds fails with the last answer.
import { until as untilWithin } from '../../harness/people/until.ts';

/** `npm run mutations` waits for conditions that a mutation makes impossible, so it sets a shorter limit. */
export const PATIENCE_MS = Number(process.env['TEST_PATIENCE_MS'] ?? 240_000);

/**
 * @returns the first answer that fulfils the condition.
 * @throws with the last answer if none did within `withinMs`.
 */
export const until = <Seen>(
  poll: () => Promise<Seen>,
  isGood: (seen: Seen) => boolean,
  withinMs = PATIENCE_MS,
): Promise<Seen> => untilWithin(poll, isGood, withinMs);
