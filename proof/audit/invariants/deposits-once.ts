// Every deposit is recorded exactly once: each deposit credit on a home account is one transaction of its user, and each deposit
// transaction is one such credit.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';

export function depositsCountOnce({ ours, theirs }: Books, check: Check): void {
  const deposits = ours.transactions.filter(({ type }) => type === 'deposit');
  const recorded = Map.groupBy(deposits, ({ provider_ref: ref }) => ref ?? '');
  const holders = new Map(ours.accounts.map((account) => [account.provider_account_id, account]));
  const homes = new Map(ours.users.map(({ id, home_currency: currency }) => [id, currency]));
  const received = new Set<string>();
  for (const { uuid, kind, direction, account_uuid: at, amount, currency } of theirs.movements) {
    const holder = holders.get(at);
    if (kind !== 'DEPOSIT' || direction !== 'CREDIT') continue;
    if (holder && homes.get(holder.user_id) !== currency) continue;
    received.add(uuid);
    const [row, ...more] = recorded.get(uuid) ?? [];
    const isRight =
      row?.user_id === holder?.user_id &&
      row?.source_amount_minor === amount &&
      row.source_currency === currency &&
      row.status === 'completed';
    const shown = row ? `${row.source_amount_minor} ${row.source_currency} ${row.status}` : 'nothing';
    check(
      row?.id ?? uuid,
      isRight && more.length === 0,
      `${amount} ${currency} arrived, recorded: ${shown}, ${more.length} times more`,
    );
  }
  for (const { id, provider_ref: ref } of deposits)
    check(id, received.has(ref ?? ''), 'a deposit that never arrived at the provider');
}
