// Every other refusal has a true reason. The clients of a run send valid requests of open accounts, so a code that is not listed,
// and above all a 500, is a violation.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import { type ClientAnswer, type ClientOrder, refusalsIn } from '../evidence.ts';
import { passing, refusals } from '../rules/refusals.ts';

/** A transition is dated before its commit: other transactions see it some time later. */
const COMMIT_MS = 5_000;

export function refusedOtherwise(books: Books, check: Check): void {
  const wasTrue = reasons(books);
  for (const { order, answer } of refusalsIn(books.seen)) {
    const { status, code = '' } = answer;
    const id = order.key ?? order.userId;
    if (passing.has(status ?? 0)) {
      check(id, true, '');
      continue;
    }
    check(id, refusals[code] === status, `refused with ${status} ${code}, for which there is no reason`);
    const reason = wasTrue[code];
    if (reason) check(id, reason(order, answer), `refused with ${code}, which was not so`);
  }
}

type Reason = (order: ClientOrder, answer: ClientAnswer) => boolean;

/** The possible reasons by code. Each of the table's other codes has its own invariant. */
function reasons({ ours, seen, transitionsOf }: Books): Record<string, Reason> {
  /** Every change that any process dated before this time was visible to a request sent at `sentAt`. */
  const visibleBy = (sentAt: number): number => sentAt - COMMIT_MS - seen.clocksDifferByMs;
  const homes = new Map(ours.users.map(({ id, home_currency: currency }) => [id, currency]));
  const quotes = new Map(ours.quotes.map((quote) => [`quote_${quote.id}`, quote]));
  const accounts = Map.groupBy(ours.accounts, ({ user_id: user }) => user);
  const details = Map.groupBy(ours.bankDetails, ({ user_id: user }) => user);

  const isActive = (userId: string, currency: string, sinceMs: number): boolean => {
    const account = accounts.get(userId)?.find((one) => one.currency === currency);
    const activated = transitionsOf(account?.id ?? '').find(({ to_state: to }) => to === 'active');
    return activated !== undefined && activated.at.getTime() <= sinceMs;
  };
  const needed = ({ kind, userId, key }: ClientOrder): string[] => {
    const home = homes.get(userId) ?? '';
    if (kind === 'withdraw') return [home];
    // An unused quote is deleted after an hour. Its flow is then unknown, and both are possible.
    return quotes.get(key ?? '')?.flow === 'direct' ? [home, 'BRL'] : [home, 'BRL', 'USDC'];
  };
  return {
    account_not_active: (order, { sentAt }) =>
      needed(order).some((currency) => !isActive(order.userId, currency, visibleBy(sentAt))),
    code_already_used: ({ codeId, key }) =>
      seen.orders.some(
        (order) =>
          order.codeId === codeId && order.key !== key && order.answers.some(({ id }) => id !== undefined),
      ),
    bank_details_required: ({ userId }, { sentAt }) =>
      !details
        .get(userId)
        ?.some(
          ({ currency, created_at: at }) =>
            currency === homes.get(userId) && at.getTime() <= visibleBy(sentAt),
        ),
    // The home currency is chosen once, and every client of a run chooses it before paying.
    home_currency_required: ({ userId }) => (homes.get(userId) ?? null) === null,
  };
}
