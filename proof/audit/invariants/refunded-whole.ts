// `refunded` restores the home account to the minor unit. None of the payment's money is with the merchant, and no BRL remains but
// what the row records as left over from a return.
import { type Books, netOf } from '../books.ts';
import type { Check } from '../counts.ts';

export function refundedIsWhole(
  { ours, movementsOf, resourcesOf, payoutOf, transferOf }: Books,
  check: Check,
): void {
  const accounts = new Map(ours.accounts.map((account) => [account.provider_account_id, account.currency]));
  for (const payment of ours.payments) {
    const { id, state, source_currency: home, home_debit_minor: debit } = payment;
    if (state !== 'refunded') continue;
    const movements = resourcesOf(id).flatMap(({ handle }) => movementsOf(handle));
    const on = (currency: string) =>
      movements.filter(({ account_uuid: at }) => accounts.get(at) === currency);
    check(
      id,
      on(home).length > 0 && netOf(on(home)) === 0,
      `${netOf(on(home))} ${home} short of what was paid`,
    );
    const status = payoutOf(id)?.status;
    check(
      id,
      netOf(on('BRL')) === (payment.brl_residual_minor ?? 0),
      `${netOf(on('BRL'))} centavos are left, and ${payment.brl_residual_minor} are recorded`,
    );
    const back = transferOf(id, 'return');
    check(
      id,
      status === undefined || (back !== undefined && (status === 'FAILED' || status === 'ERROR')),
      `the payout is ${status}`,
    );
    check(
      id,
      (back ?? transferOf(id, 'reverse'))?.destination_amount === debit,
      'another amount than the debit came back',
    );
  }
}
