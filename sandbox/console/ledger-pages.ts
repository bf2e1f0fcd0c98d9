// Reads the ledger's transactions for the console, newest first, optionally only those of a reference or of an account.

import type { SandboxContext } from '../context.ts';
import type { Currency } from '../money.ts';

export interface LedgerTransaction {
  id: number;
  reason: string;
  reference: string;
  created_at: number;
  entries: { account: string; currency: Currency; amount: number }[];
}

export interface LedgerQuery {
  reference?: string;
  account?: string;
  before?: number;
}

const ON_A_PAGE = 20;

export function ledgerTransactions({ store }: SandboxContext, query: LedgerQuery) {
  const { reference = null, account = null, before = Number.MAX_SAFE_INTEGER } = query;
  const found = store.all<Omit<LedgerTransaction, 'entries'>>(
    `select * from ledger_transactions t
     where id < ? and (? is null or reference = ?)
       and (? is null or id in (select transaction_id from ledger_entries where account = ?))
     order by id desc limit ?`,
    before,
    reference,
    reference,
    account,
    account,
    ON_A_PAGE + 1,
  );
  const shown = found.slice(0, ON_A_PAGE);
  const entries = entriesOf(shown.map(({ id }) => id));
  const transactions = shown.map((one) => ({ ...one, entries: entries.get(one.id) ?? [] }));
  return { transactions, next: found.length > ON_A_PAGE ? (shown.at(-1)?.id ?? null) : null };

  /** Reads the entries in one pass, because they have no index but their own number. */
  function entriesOf(ids: number[]) {
    const rows = store.all<LedgerTransaction['entries'][number] & { transaction_id: number }>(
      `select transaction_id, account, currency, amount from ledger_entries
       where transaction_id in (select value from json_each(?)) order by seq`,
      JSON.stringify(ids),
    );
    return Map.groupBy(rows, ({ transaction_id }) => transaction_id);
  }
}
