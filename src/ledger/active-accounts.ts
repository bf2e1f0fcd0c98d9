// Checks the accounts that a flow needs. All must be active before a payment is accepted.

import type { Currency, HomeCurrency } from '../domain/currency.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Entity } from '../platform/entities/rows.ts';

type AccountState = Pick<Entity<'ProviderAccount'>, 'currency' | 'state' | 'providerAccountId'>;

/**
 * Checks the accounts of a payment.
 * @param accounts all accounts of the user.
 * @returns the provider's id of the home account.
 * @throws Refusal `account_not_active` if an account that the flow needs is missing or not active yet.
 */
export const activeAccounts = (
  accounts: AccountState[],
  { flow, sourceCurrency: home }: { flow: 'direct' | 'two_hop'; sourceCurrency: HomeCurrency },
): string => activeAccount(accounts, [home, 'BRL', ...(flow === 'two_hop' ? ['USDC' as const] : [])]);

/**
 * Returns the provider's id of the first account in `needed`.
 * @throws Refusal `account_not_active` unless all of them are active.
 */
export function activeAccount(accounts: AccountState[], needed: [Currency, ...Currency[]]): string {
  const active = accounts.filter(({ state }) => state === 'active');
  const refs = needed.map(
    (currency) => active.find((account) => account.currency === currency)?.providerAccountId,
  );
  const [home] = refs;
  if (!home || refs.some((ref) => !ref)) throw new Refusal('account_not_active');
  return home;
}
