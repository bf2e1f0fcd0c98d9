// Checks the accounts that a flow needs. All must be active before a payment is accepted.

import type { Currency } from '../domain/currency.ts';
import { Refusal } from '../domain/refusals.ts';
import { findKyc } from '../tables/kyc-verifications/statements.ts';
import type { Db } from '../tables/orm.ts';
import type { Entity } from '../tables/rows.ts';

type AccountState = Pick<Entity<'ProviderAccount'>, 'currency' | 'state' | 'providerAccountId'>;

type AccountsOfUser = { userId: string; accounts: AccountState[] };

/**
 * Returns the provider's id of the first account in `needed`.
 * @throws Refusal `account_not_active` unless all of them are active. Its details say which step is missing.
 */
export async function activeAccount(
  db: Db,
  { userId, accounts }: AccountsOfUser,
  needed: [Currency, ...Currency[]],
): Promise<string> {
  const active = accounts.filter(({ state }) => state === 'active');
  const refs = needed.map(
    (currency) => active.find((account) => account.currency === currency)?.providerAccountId,
  );
  const [home] = refs;
  if (home && refs.every((ref) => ref)) return home;
  const kyc = await findKyc(db, { userId });
  throw new Refusal('account_not_active', [missingStep(kyc?.state)]);
}

const missingStep = (state: Entity<'KycVerification'>['state'] | undefined) =>
  state === 'completed'
    ? { path: '/account', message: 'not active' }
    : { path: '/verification', message: state ?? 'not started' };
