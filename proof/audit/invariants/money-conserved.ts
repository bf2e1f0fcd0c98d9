// Money is conserved: the provider's entries balance, each user's balances follow from the service's own history, and the accounts
// of the company and of the outside world contain exactly the rest.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import type { Payment, Transition } from '../ours-rows.ts';
import { handles } from '../rules/handles.ts';

/** Maps accounts to sums in minor units. Users' accounts are named `<user>/<currency>`; the others have the ledger's own names. */
type Sums = Map<string, number>;

export function moneyIsConserved(books: Books, check: Check): void {
  const { ours, theirs } = books;
  for (const { id, currency, total } of theirs.unbalanced)
    check(`posting ${id}`, false, `leaves ${total} over in ${currency}`);
  const entries = new Map(theirs.sums.map(({ name, balance }) => [name, balance]));
  for (const { name, balance } of theirs.balances)
    check(name, balance === (entries.get(name) ?? 0), `the balance ${balance} is not the sum of its entries`);
  for (const currency of new Set(theirs.sums.map((sum) => sum.currency))) {
    const total = theirs.sums
      .filter((sum) => sum.currency === currency)
      .reduce((sum, { balance }) => sum + balance, 0);
    check(currency, total === 0, `all accounts together hold ${total} instead of nothing`);
  }

  const expected = expectedSums(books);
  const actual = new Map(theirs.balances.map(({ name, balance }) => [name, balance]));
  for (const account of ours.accounts) {
    const key = `${account.user_id}/${account.currency}`;
    const should = expected.get(key) ?? 0;
    const is = actual.get(`customer:${account.provider_account_id}`) ?? 0;
    check(
      account.user_id,
      is === should,
      `${account.currency}: ${is} at the provider, ${should} by our history`,
    );
    expected.delete(key);
  }
  for (const [name, should] of expected) {
    const is = actual.get(name) ?? 0;
    check(name, is === should, `${is} at the provider, ${should} by our history`);
  }
}

/**
 * The expected balance of every account, computed from the service's rows and their history alone. Margins and subsidies come from
 * the quotes. If the provider paid out a different amount by its own fault, its ledger shows the amount that left, so the
 * difference appears in the user's account.
 */
function expectedSums({ ours, theirs, seen, transitionsOf, outgoingUnder, explanations }: Books): Sums {
  const sums: Sums = new Map();
  const add = (name: string, amount: number) => sums.set(name, (sums.get(name) ?? 0) + amount);
  const pass = (from: string, to: string, amount: number) => {
    add(from, -amount);
    add(to, amount);
  };
  const payOut = (id: string, handle: string, [user, currency, amount]: [string, string, number]) => {
    const paid = timesPaidOut(transitionsOf(id)) * amount;
    const isExcused = explanations.ofDifference(id).length > 0;
    add(`${user}/${currency}`, -paid);
    add(`outside:${currency}`, isExcused ? sumOf(outgoingUnder(handle)) : paid);
  };
  for (const {
    type,
    user_id: user,
    source_currency: currency,
    source_amount_minor: amount,
  } of ours.transactions)
    if (type === 'deposit') pass(`outside:${currency}`, `${user}/${currency}`, amount);
  for (const { id, user_id: user, currency, amount_minor: amount } of ours.withdraws)
    payOut(id, handles.withdraw(id), [user, currency, amount]);
  for (const payment of ours.payments) {
    const history = transitionsOf(payment.id);
    const { user_id: user } = payment;
    for (const { event, event_data: data } of history) {
      const [leg = '', what] = event.split('.');
      const route = what === 'completed' ? routes(payment)[leg] : undefined;
      if (!route) continue;
      add(`${user}/${route[0]}`, -Number(data['sourceAmountMinor']));
      add(`${user}/${route[1]}`, Number(data['destinationAmountMinor']));
    }
    payOut(payment.id, handles.payout(payment.id), [user, 'BRL', payment.amount_brl_minor]);
  }
  for (const refund of ours.refunds) {
    const { id, user_id: user, payment_id: payment, amount_brl_minor: amount, home_currency: home } = refund;
    // A payout that came back whole counts as returned, with all of its parts.
    if (timesPaidOut(transitionsOf(payment)) > 0) {
      add(`${user}/BRL`, amount);
      // The ledger of the provider says how much an excused payout moved outside. It has subtracted this part already.
      if (explanations.ofDifference(payment).length === 0) add('outside:BRL', -amount);
    }
    for (const { event, event_data: data } of transitionsOf(id)) {
      if (event !== 'partial.completed') continue;
      add(`${user}/BRL`, -Number(data['sourceAmountMinor']));
      add(`${user}/${home}`, Number(data['destinationAmountMinor']));
    }
  }
  // No row of the service shows what became of these. The provider's movements show it.
  const holders = new Map(ours.accounts.map((account) => [account.provider_account_id, account]));
  for (const {
    source_reference: handle,
    account_uuid: at,
    direction,
    amount,
    currency,
  } of theirs.movements) {
    const holder = holders.get(at);
    if (holder && seen.unordered.has(handle ?? ''))
      pass(`${holder.user_id}/${currency}`, `outside:${currency}`, direction === 'DEBIT' ? amount : -amount);
  }
  for (const currency of ['GBP', 'EUR', 'BRL', 'USDC'])
    for (const between of ['converting', 'paying-out']) add(`${between}:${currency}`, 0);
  const quotes = new Map(theirs.quotes.map((quote) => [quote.uuid, quote]));
  for (const { status, quote_uuid: uuid } of theirs.transfers) {
    const quote = quotes.get(uuid);
    if (status !== 'COMPLETED' || !quote) continue;
    add(`margin:${quote.source_currency}`, quote.margin_amount);
    add(`subsidy:${quote.source_currency}`, -quote.subsidy_amount);
  }
  return sums;
}

const sumOf = (rows: { amount: number }[]): number => rows.reduce((sum, { amount }) => sum + amount, 0);

const routes = ({ source_currency: home }: Payment): Partial<Record<string, [string, string]>> => ({
  direct: [home, 'BRL'],
  leg1: [home, 'USDC'],
  leg2: ['USDC', 'BRL'],
  reverse: ['USDC', home],
  return: ['BRL', home],
});

/** The number of payouts that arrived, less those returned afterwards. */
function timesPaidOut(history: Transition[]): number {
  const arrived = history.filter(({ event }) => event === 'off-ramp.completed').length;
  const back = history.filter(
    ({ event, from_state: from }) => event === 'off-ramp.refunded' && from === 'completed',
  ).length;
  return arrived - back;
}
