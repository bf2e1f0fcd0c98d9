// Reads the provider's side of the books: the sandbox's store, by plain SQL from its file. The sandbox may be running. Nothing is
// written.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type {
  AccountRow,
  Balance,
  ContestationRow,
  InjectedFault,
  MovementRow,
  OutgoingRow,
  OwnerRow,
  PayoutRow,
  QuoteRow,
  TransferRow,
} from './theirs-rows.ts';

export type Theirs = ReturnType<typeof readTheirs>;

/** Returns whether the provider has neither a change to make nor a callback to send. */
export function isProviderAtRest(folder: string): boolean {
  const store = new DatabaseSync(join(folder, 'sandbox.sqlite'), { readOnly: true });
  try {
    return store.prepare('select 1 from settlements union all select 1 from callbacks').get() === undefined;
  } finally {
    store.close();
  }
}

export function readTheirs(folder: string) {
  const store = new DatabaseSync(join(folder, 'sandbox.sqlite'), { readOnly: true });
  const all = <Row>(query: string): Row[] => store.prepare(query).all() as Row[];
  const has = (table: string): boolean =>
    all<object>(`select 1 from sqlite_master where type = 'table' and name = '${table}'`).length > 0;
  const hasRefunds =
    all<object>(`select 1 from pragma_table_info('payouts') where name = 'refunds'`).length > 0;
  try {
    // One transaction reads a running provider in one snapshot.
    store.exec('begin');
    return {
      owners: all<OwnerRow>('select uuid, external_id, status from owners'),
      accounts: all<AccountRow>('select uuid, external_id, currency, status from accounts'),
      // The provider's clock may be wrong. Its ledger uses the sandbox's clock, which the apps also use: the n-th
      // movement of an account is the n-th entry there.
      movements: all<MovementRow>(
        `with moved as (
           select *, row_number() over (partition by account_uuid order by seq) as nth from movements
         ), entered as (
           select entry.account, posting.created_at,
             row_number() over (partition by entry.account order by posting.id) as nth
           from ledger_entries entry join ledger_transactions posting on posting.id = entry.transaction_id
           where entry.account like 'customer:%'
         )
         select moved.seq, moved.uuid, moved.account_uuid, moved.direction, moved.kind, moved.amount, moved.currency,
           moved.source_reference, coalesce(entered.created_at, moved.created_at) as created_at
         from moved left join entered on entered.account = 'customer:' || moved.account_uuid and entered.nth = moved.nth
         order by moved.seq`,
      ),
      quotes: all<QuoteRow>(
        `select uuid, source_currency, margin_amount, subsidy_amount from quotes where transfer_uuid is not null`,
      ),
      transfers: all<TransferRow>(
        `select uuid, origin_id, quote_uuid, status, source_account_uuid, destination_account_uuid, source_amount,
           destination_amount
         from transfers order by seq`,
      ),
      payouts: all<PayoutRow>(
        `select uuid, origin_id, attempt, status, amount, currency, rail, destination, charge_uuid, end_to_end_id,
           ${hasRefunds ? 'refunds' : 'null as refunds'}
         from payouts order by seq`,
      ),
      contestations: has('contestations')
        ? all<ContestationRow>('select uuid, origin_id, payout_uuid, status from contestations')
        : [],
      outgoing: all<OutgoingRow>(
        `select posting.reference as handle, entry.currency, entry.amount, posting.created_at
         from ledger_transactions posting join ledger_entries entry on entry.transaction_id = posting.id
         where posting.reason in ('PAYOUT_COMPLETED', 'PAYOUT_REFUND') and entry.account = 'outside:' || entry.currency
         order by posting.id`,
      ),
      balances: all<Balance>('select name, currency, balance from ledger_accounts'),
      /** Sums over the entries themselves: the balances above must equal them. */
      sums: all<Balance>(
        `select account as name, max(currency) as currency, sum(amount) as balance from ledger_entries group by account`,
      ),
      unbalanced: all<{ id: number; currency: string; total: number }>(
        `select transaction_id as id, currency, sum(amount) as total from ledger_entries
         group by transaction_id, currency having sum(amount) <> 0`,
      ),
      /** Empty for a provider that cannot misbehave: it has no such table. */
      injected: has('injected_faults')
        ? all<InjectedFault>('select kind, resource_uuid, origin_id, at from injected_faults order by id')
        : [],
      planned: all<{ id: number; task: string; uuid: string }>('select id, task, uuid from settlements'),
    };
  } finally {
    store.close();
  }
}
