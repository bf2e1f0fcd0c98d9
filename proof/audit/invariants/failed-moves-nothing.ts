// `failed` means that nothing moved: each account that the order uses has its former balance.
import { type Books, netOf } from '../books.ts';
import type { Check } from '../counts.ts';

export function failedMovesNothing({ ours, movementsOf, resourcesOf }: Books, check: Check): void {
  for (const { id, state } of [...ours.payments, ...ours.withdraws]) {
    if (state !== 'failed') continue;
    const movements = resourcesOf(id).flatMap(({ handle }) => movementsOf(handle));
    const byAccount = Map.groupBy(movements, ({ account_uuid: account }) => account);
    const left = [...byAccount.values()].map(netOf).filter((net) => net !== 0);
    check(id, left.length === 0, `failed, yet ${left.join(' and ')} moved`);
  }
}
