// Runs the tests of effects, leases and refusals again with another clock.
import { describe } from 'vitest';
import { startClocksAhead } from '../support/clock.ts';

/** @param aheadMs how far the clock of the process is ahead of the database's clock, in milliseconds. Negative if it is behind. */
export function runAgain(aheadMs: number): void {
  startClocksAhead(aheadMs);
  again('late requests', () => import('./late-requests.test.ts'));
  again('late conversions', () => import('./late-conversions.test.ts'));
  again('lost attempts', () => import('../outbox/lost-attempts.test.ts'));
  again('two runs', () => import('../outbox/two-runs.test.ts'));
  again('leases', () => import('../outbox/planted.test.ts'));
}

/** @param load imports the test file, whose tests then belong to this file. */
function again(name: string, load: () => Promise<unknown>): void {
  describe(`${name} with another clock`, async () => {
    await load();
  });
}
