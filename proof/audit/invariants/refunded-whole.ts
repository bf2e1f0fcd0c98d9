// `refunded` restores the home account to the minor unit, and none of the payment's money remains in BRL or with the merchant.
import { type Books, netOf } from '../books.ts';
import type { Hold } from '../counts.ts';

export function refundedIsWhole(
  { ours, movementsOf, resourcesOf, payoutOf, transferOf }: Books,
  hold: Hold,
): void {
  const accounts = new Map(ours.accounts.map((account) => [account.provider_account_id, account.currency]));
  for (const { id, state, source_currency: home, home_debit_minor: debit } of ours.payments) {
    if (state !== 'refunded') continue;
    const movements = resourcesOf(id).flatMap(({ handle }) => movementsOf(handle));
    const on = (currency: string) =>
      movements.filter(({ account_uuid: at }) => accounts.get(at) === currency);
    hold(
      id,
      on(home).length > 0 && netOf(on(home)) === 0,
      `${netOf(on(home))} ${home} short of what was paid`,
    );
    hold(id, netOf(on('BRL')) === 0 && payoutOf(id) === undefined, 'reais have moved all the same');
    hold(
      id,
      transferOf(id, 'reverse')?.destination_amount === debit,
      'another amount than the debit came back',
    );
  }
}
