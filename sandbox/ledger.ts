// Double entry: money only moves between accounts, so the balances of each currency always sum to zero.

import type { SandboxContext } from './context.ts';
import type { Currency } from './money.ts';
import { writeAmount } from './money.ts';

export interface Entry {
  account: string;
  currency: Currency;
  /** In minor units. A positive amount credits the account. */
  amount: number;
}

/** Returns the name of a customer's account in the ledger. */
export const customer = (uuid: string) => `customer:${uuid}`;
export const outside = (currency: Currency) => `outside:${currency}`;
export const exchange = (currency: Currency) => `exchange:${currency}`;
export const margin = (currency: Currency) => `margin:${currency}`;
export const subsidy = (currency: Currency) => `subsidy:${currency}`;
/** The account of what the provider paid from its own funds for twins that the customer's account did not cover. */
export const shortfall = (currency: Currency) => `shortfall:${currency}`;
export const converting = (currency: Currency) => `converting:${currency}`;
export const payingOut = (currency: Currency) => `paying-out:${currency}`;

/** Posts one balanced transaction. Call it inside a database transaction. */
export function post(context: SandboxContext, reason: string, reference: string, entries: Entry[]): void {
  assertBalanced(entries);
  const { store } = context;
  const { id } = store.run(
    'insert into ledger_transactions (reason, reference, created_at) values (?, ?, ?)',
    reason,
    reference,
    context.now(),
  );
  const moving = entries.filter(({ amount }) => amount !== 0);
  if (moving.length === 0) return;
  store.run(
    `insert into ledger_entries (transaction_id, account, currency, amount)
     values ${moving.map(() => '(?, ?, ?, ?)').join(', ')}`,
    ...moving.flatMap(({ account, currency, amount }) => [id, account, currency, amount]),
  );
  for (const { account, currency, amount } of moving) {
    const update = store.run(
      'update ledger_accounts set balance = balance + ? where name = ?',
      amount,
      account,
    );
    if (update.changes === 0)
      store.run(
        'insert into ledger_accounts (name, currency, balance) values (?, ?, ?)',
        account,
        currency,
        amount,
      );
  }
}

/** The balance in minor units. An account without entries has zero. */
export function balance(context: SandboxContext, account: string): number {
  const sql = 'select balance from ledger_accounts where name = ?';
  return context.store.get<{ balance: number }>(sql, account)?.balance ?? 0;
}

/** Returns every balance, and whether the entries add up to them. */
export function proof(context: SandboxContext) {
  const { store } = context;
  const accounts = store.all<{ name: string; currency: Currency; balance: number }>(
    'select name, currency, balance from ledger_accounts order by currency, name',
  );
  const totals = store.all<{ currency: Currency; total: number }>(
    'select currency, sum(amount) as total from ledger_entries group by currency',
  );
  const count = (sql: string) => store.get<{ n: number }>(`select count(*) as n from (${sql})`)?.n ?? 0;
  const unbalancedTransactions = count(
    'select 1 from ledger_entries group by transaction_id, currency having sum(amount) <> 0',
  );
  const wrongBalances = count(
    `select 1 from ledger_accounts a left join ledger_entries e on e.account = a.name
     group by a.name having a.balance <> coalesce(sum(e.amount), 0)`,
  );
  return {
    balanced: unbalancedTransactions === 0 && wrongBalances === 0 && totals.every(({ total }) => total === 0),
    totals: Object.fromEntries(totals.map(({ currency, total }) => [currency, writeAmount(total, currency)])),
    unbalanced_transactions: unbalancedTransactions,
    wrong_balances: wrongBalances,
    accounts: accounts.map((row) => ({
      account: row.name,
      currency: row.currency,
      balance: writeAmount(row.balance, row.currency),
    })),
  };
}

function assertBalanced(entries: Entry[]): void {
  const sums = new Map<Currency, number>();
  for (const { currency, amount } of entries) {
    if (!Number.isSafeInteger(amount)) throw new Error(`not an amount of minor units: ${amount}`);
    sums.set(currency, (sums.get(currency) ?? 0) + amount);
  }
  for (const [currency, sum] of sums)
    if (sum !== 0) throw new Error(`a transaction leaves ${sum} over in ${currency}`);
}
