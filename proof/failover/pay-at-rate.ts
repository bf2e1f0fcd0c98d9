// Users who begin payments and withdrawals at a fixed rate, whether earlier ones were answered or not.
import { setTimeout as pause } from 'node:timers/promises';
import type { Workload } from '../chaos/payments.ts';
import { orderPayment, orderWithdraw } from '../stack/payers.ts';
import type { Person } from '../stack/people.ts';

/** The most payments without an answer. While there are as many, no other begins. */
const MAX_UNANSWERED = 400;
const LOOK_EVERY_MS = 20;
/** Every so many orders, one is a withdrawal. */
const WITHDRAWS_EVERY = 7;

/**
 * @param maxUnanswered a lower limit, for a system that is slower than the rate.
 * @returns the failures, once `isQuiet` and every payment has been answered.
 */
export async function payAtRate(
  workload: Workload,
  people: [Person, ...Person[]],
  perSecond: number,
  maxUnanswered = MAX_UNANSWERED,
): Promise<string[]> {
  const failures: string[] = [];
  const unanswered = new Set<Promise<unknown>>();
  let nextAt = performance.now();
  for (let n = 0; !workload.isQuiet(); n += 1) {
    await pause(Math.max(0, nextAt - performance.now()));
    while (unanswered.size >= maxUnanswered) await pause(LOOK_EVERY_MS);
    nextAt = Math.max(nextAt + 1_000 / perSecond, performance.now() - 1_000);
    const order: typeof orderPayment | typeof orderWithdraw =
      n % WITHDRAWS_EVERY === 0 ? orderWithdraw : orderPayment;
    const ordered: Promise<unknown> = order(workload, people[n % people.length] ?? people[0], n)
      .catch((error: unknown) => void failures.push(String(error)))
      .finally(() => unanswered.delete(ordered));
    unanswered.add(ordered);
  }
  await Promise.all(unanswered);
  return failures;
}
