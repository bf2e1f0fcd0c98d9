// The balance of each home account at any time by the provider's ledger, and the reserved part of it: accepted by the service, not
// yet debited at the provider, and not given up.
import type { Ours } from './ours.ts';
import type { Transition } from './ours-rows.ts';
import { handles, homeDebitOf } from './rules/handles.ts';
import { states } from './rules/states.ts';
import type { Theirs } from './theirs.ts';

/** Times are milliseconds since 1970. Amounts are minor units of the home currency. */
export type Funds = {
  /** The lowest unreserved balance between the two times. */
  leastFree: (userId: string, fromMs: number, toMs: number) => number;
  balances: (userId: string, fromMs: number, toMs: number) => number[];
  balanceNow: (userId: string) => number;
};

/** The balance and its reserved part, from `atMs` until the next entry. */
type Holding = { atMs: number; balance: number; promised: number };

export function createFunds(
  ours: Ours,
  theirs: Theirs,
  transitionsOf: (subjectId: string) => Transition[],
  clocksDifferByMs: number,
): Funds {
  const homes = homeAccounts(ours);
  const movements = Map.groupBy(theirs.movements, ({ account_uuid: at }) => at);
  const orders = Map.groupBy(ordersIn(ours), ({ userId }) => userId);
  const histories = new Map<string, Holding[]>();

  const historyOf = (userId: string): Holding[] => {
    const history = histories.get(userId) ?? tell(userId);
    histories.set(userId, history);
    return history;
  };
  const tell = (userId: string): Holding[] => {
    const own = movements.get(homes.get(userId) ?? '') ?? [];
    const debits = new Map<string | null, number>();
    const changes = own.map(({ direction, amount, source_reference: handle, created_at: atMs }) => {
      if (direction === 'DEBIT' && !debits.has(handle)) debits.set(handle, atMs);
      return { atMs, balance: direction === 'CREDIT' ? amount : -amount, promised: 0 };
    });
    for (const { id, handle, amount, acceptedMs } of orders.get(userId) ?? []) {
      // The process that wrote the final state may have a slow clock and date it too early.
      const over = Math.min(debits.get(handle) ?? Infinity, endOf(transitionsOf(id)) + clocksDifferByMs);
      changes.push({ atMs: acceptedMs, balance: 0, promised: amount });
      if (over < Infinity) changes.push({ atMs: Math.max(over, acceptedMs), balance: 0, promised: -amount });
    }
    return addUp(changes);
  };
  /** The values at `fromMs`, and every later one until `toMs`. */
  const between = (userId: string, fromMs: number, toMs: number): Holding[] => {
    const history = historyOf(userId);
    const before = history.findLast(({ atMs }) => atMs <= fromMs) ?? { atMs: 0, balance: 0, promised: 0 };
    return [before, ...history.filter(({ atMs }) => atMs > fromMs && atMs <= toMs)];
  };

  return {
    leastFree: (...range) =>
      Math.min(...between(...range).map(({ balance, promised }) => balance - promised)),
    balances: (...range) => between(...range).map(({ balance }) => balance),
    balanceNow: (userId) => historyOf(userId).at(-1)?.balance ?? 0,
  };
}

/** Maps each user to the provider's uuid of their home account. */
function homeAccounts({ users, accounts }: Ours): Map<string, string> {
  const currencies = new Map(users.map(({ id, home_currency: currency }) => [id, currency]));
  return new Map(
    accounts
      .filter(({ user_id: user, currency }) => currencies.get(user) === currency)
      .map(({ user_id: user, provider_account_id: uuid }) => [user, uuid ?? '']),
  );
}

const ordersIn = ({ payments, withdraws }: Ours) => [
  ...payments.map((row) => ({
    id: row.id,
    userId: row.user_id,
    handle: homeDebitOf(row),
    amount: row.source_amount_minor,
    acceptedMs: row.created_at.getTime(),
  })),
  ...withdraws.map((row) => ({
    id: row.id,
    userId: row.user_id,
    handle: handles.withdraw(row.id),
    amount: row.amount_minor,
    acceptedMs: row.created_at.getTime(),
  })),
];

/** When the payment or withdrawal reached a final state, in milliseconds since 1970. */
export const endOf = (history: Transition[]): number =>
  history.find(({ subject_kind: kind, to_state: to }) => states[kind][to] === 'ends')?.at.getTime() ??
  Infinity;

/** Sums the changes. Entries with the same time count as simultaneous. */
function addUp(changes: Holding[]): Holding[] {
  const history: Holding[] = [];
  let balance = 0;
  let promised = 0;
  for (const change of changes.toSorted((one, other) => one.atMs - other.atMs)) {
    balance += change.balance;
    promised += change.promised;
    if (history.at(-1)?.atMs === change.atMs) history.pop();
    history.push({ atMs: change.atMs, balance, promised });
  }
  return history;
}
