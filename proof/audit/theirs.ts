// The provider's side of the books: the sandbox's store, read from its file beside the running process, never written.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type {
  AccountRow,
  MovementRow,
  OwnerRow,
  PayoutRow,
  QuoteRow,
  TransferRow,
} from '../../sandbox/store/rows.ts';

export type Balance = { name: string; currency: string; balance: number };
export type Theirs = ReturnType<typeof readTheirs>;

export function readTheirs(folder: string) {
  const store = new DatabaseSync(join(folder, 'sandbox.sqlite'), { readOnly: true });
  const all = <Row>(query: string): Row[] => store.prepare(query).all() as Row[];
  try {
    // One transaction, so that a provider that goes on meanwhile shows one moment of itself.
    store.exec('begin');
    return {
      owners: all<OwnerRow>('select * from owners'),
      accounts: all<AccountRow>('select * from accounts'),
      movements: all<MovementRow>('select * from movements order by seq'),
      quotes: all<QuoteRow>('select * from quotes where transfer_uuid is not null'),
      transfers: all<TransferRow>('select * from transfers order by seq'),
      payouts: all<PayoutRow>('select * from payouts order by seq'),
      balances: all<Balance>('select name, currency, balance from ledger_accounts'),
      /** Sums over the entries themselves: the balances above must be these. */
      sums: all<Balance>(
        `select account as name, max(currency) as currency, sum(amount) as balance from ledger_entries group by account`,
      ),
      unbalanced: all<{ id: number; currency: string; total: number }>(
        `select transaction_id as id, currency, sum(amount) as total from ledger_entries
         group by transaction_id, currency having sum(amount) <> 0`,
      ),
      postings: all<{ n: number }>('select count(*) as n from ledger_transactions')[0]?.n ?? 0,
      planned: all<{ id: number; task: string; uuid: string }>('select id, task, uuid from settlements'),
    };
  } finally {
    store.close();
  }
}
