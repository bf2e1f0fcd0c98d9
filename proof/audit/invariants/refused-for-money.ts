// 422 insufficient_funds only where the balance was too low: at some moment around the request, the home account's
// balance by the provider's ledger, less what was accepted here and not yet debited there, did not cover it.
import type { Books } from '../books.ts';
import type { Hold } from '../counts.ts';
import { refusalsIn } from '../evidence.ts';

/**
 * Legitimate races: a decision is dated before its commit, so a reservation may be released some time before others can
 * see it; and a provider's read can show the balance of a few seconds ago. A debit that is not known here yet is no
 * excuse: it has left the balance and is no longer reserved.
 */
const LOOK_BACK_MS = 5_000;

export function refusedForMoney({ seen, funds }: Books, hold: Hold): void {
  for (const { order, answer } of refusalsIn(seen)) {
    if (answer.code !== 'insufficient_funds') continue;
    const free = funds.leastFree(order.userId, answer.sentAt - LOOK_BACK_MS, answer.answeredAt);
    hold(
      order.key ?? order.userId,
      free < order.costMinor,
      `a ${order.kind} of ${order.costMinor} was refused with at least ${free} there and promised to nobody`,
    );
  }
}
