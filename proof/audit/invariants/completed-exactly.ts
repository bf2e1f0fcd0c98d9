// A payment is `completed` exactly if the merchant received exactly amountBrl, and a withdrawal if the bank received its amount.
// The check runs from the service's rows to the provider's payouts, and back.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import type { PayoutRow } from '../theirs-rows.ts';

type Promise = { id: string; state: string; amount: number; currency: string };

export function merchantsReceiveExactly(books: Books, check: Check): void {
  const { ours, theirs, seen, payoutOf } = books;
  const promises: Promise[] = [
    ...ours.payments.map(({ id, state, amount_brl_minor: amount }) => ({
      id,
      state,
      amount,
      currency: 'BRL',
    })),
    ...ours.withdraws.map(({ id, state, amount_minor: amount, currency }) => ({
      id,
      state,
      amount,
      currency,
    })),
  ];
  for (const promise of promises) {
    const payout = payoutOf(promise.id);
    const arrived = payout !== undefined && isReceived(payout, promise);
    if (promise.state === 'completed')
      check(promise.id, arrived, `completed, but the payout is ${payout ? textOf(payout) : 'not there'}`);
    else check(promise.id, payout?.status !== 'COMPLETED', `${promise.state}, but the payout has arrived`);
  }

  const subjects = new Map(ours.resources.map(({ handle, subject_id: id }) => [handle, id]));
  const promiseOf = new Map(promises.map((promise) => [promise.id, promise]));
  for (const payout of theirs.payouts) {
    if (payout.status !== 'COMPLETED' || seen.unordered.has(payout.origin_id)) continue;
    const promise = promiseOf.get(subjects.get(payout.origin_id) ?? '');
    check(
      promise?.id ?? payout.uuid,
      promise?.state === 'completed' && isReceived(payout, promise),
      `${textOf(payout)} has arrived, and here it is ${promise?.state ?? 'unknown'}`,
    );
  }
}

const isReceived = ({ status, amount, currency }: PayoutRow, promise: Promise): boolean =>
  status === 'COMPLETED' && amount === promise.amount && currency === promise.currency;

const textOf = ({ status, amount, currency }: PayoutRow): string => `${status} ${amount} ${currency}`;
