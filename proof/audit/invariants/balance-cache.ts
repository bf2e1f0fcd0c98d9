// A cached balance equals the ledger's. Every movement of money invalidates the cache, so with no work in progress a cached balance
// is correct at any age, not only during the 15 s in which GET /me would show it.
import type { Books } from '../books.ts';
import type { Check, List } from '../counts.ts';
import { OLD_BALANCE } from '../rules/provider-faults.ts';
import { states } from '../rules/states.ts';

export function keptBalancesAreTrue({ ours, theirs, seen, funds }: Books, check: Check, list: List): void {
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
    check(id, funds.balanceNow(id) === is, `${is} in the ledger, ${funds.balanceNow(id)} by its movements`);
    if (readAt === null || kept === null || moving.has(id)) continue;
    const what = `${kept} kept since ${readAt.toISOString()}, ${is} in the ledger`;
    // A lagging read after the movement can have stored this balance. GET /me shows it for 15 s and then reads again. A debit that
    // no row requested is excused in the same way: its only notice is the callback, which can be lost.
    const isExcused = kept !== is && (old.has(account ?? null) || strange.has(account ?? ''));
    check(id, kept === is || isExcused, what);
    if (isExcused)
      list(id, `${what}: the provider showed an old balance, or an unordered debit's callback was lost`);
  }
}
