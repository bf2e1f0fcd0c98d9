// 422 insufficient_funds is answered only if the balance was too low. At some time around the request, the home account's balance
// by the provider's ledger, less what was accepted and not yet debited, did not cover the amount.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import { refusalsIn } from '../evidence.ts';

/**
 * Allows for two legitimate races. A transition is dated before its commit, so a reservation may be released some time before
 * others can see it. And a read at the provider can show the balance of a few seconds ago. A debit that the service does not know
 * yet is not an excuse: it has left the balance and is not reserved any more.
 */
const LOOK_BACK_MS = 5_000;

export function refusedForMoney({ seen, funds }: Books, check: Check): void {
  for (const { order, answer } of refusalsIn(seen)) {
    if (answer.code !== 'insufficient_funds') continue;
    const free = funds.leastFree(order.userId, answer.sentAt - LOOK_BACK_MS, answer.answeredAt);
    check(
      order.key ?? order.userId,
      free < order.costMinor,
      `a ${order.kind} of ${order.costMinor} was refused with at least ${free} there and promised to nobody`,
    );
  }
}
