// A cached balance is the ledger's. Every movement of money invalidates it, so with no work in progress a cached balance
// is correct however old it is: not only while GET /me would still show it, which is for 15 s.
import type { Books } from '../books.ts';
import type { Hold, List } from '../counts.ts';
import { OLD_BALANCE } from '../rules/provider-faults.ts';
import { states } from '../rules/states.ts';

export function keptBalancesAreTrue({ ours, theirs, seen, funds }: Books, hold: Hold, list: List): void {
  const moving = new Set([
    ...ours.payments
      .filter(({ state }) => states.pix_payment[state] === 'moves')
      .map(({ user_id: id }) => id),
    ...ours.withdraws.filter(({ state }) => states.withdraw[state] === 'moves').map(({ user_id: id }) => id),
  ]);
  const ledger = new Map(theirs.balances.map(({ name, balance }) => [name, balance]));
  const homes = new Map(
    ours.accounts.map((account) => [`${account.user_id}/${account.currency}`, account.provider_account_id]),
  );
  const old = new Set(
    theirs.injected.filter(({ kind }) => kind === OLD_BALANCE).map(({ resource_uuid: uuid }) => uuid),
  );
  const strange = new Set(
    theirs.movements
      .filter(({ source_reference: handle }) => seen.unordered.has(handle ?? ''))
      .map(({ account_uuid: uuid }) => uuid),
  );
  for (const { id, home_currency: currency, balance_minor: kept, balance_read_at: readAt } of ours.users) {
    const account = homes.get(`${id}/${currency}`);
    const is = ledger.get(`customer:${account}`) ?? 0;
    hold(id, funds.balanceNow(id) === is, `${is} in the ledger, ${funds.balanceNow(id)} by its movements`);
    if (readAt === null || kept === null || moving.has(id)) continue;
    const what = `${kept} kept since ${readAt.toISOString()}, ${is} in the ledger`;
    // It can be the result of such a read after the movement: it is shown for 15 s, and then read again. So is the balance before
    // a debit that nobody ordered, whose only notice, the callback, can be lost.
    const isExcused = kept !== is && (old.has(account ?? null) || strange.has(account ?? ''));
    hold(id, kept === is || isExcused, what);
    if (isExcused)
      list(id, `${what}: the provider showed an old balance, or an unordered debit's callback was lost`);
  }
}
