// The balance people see: the provider's, kept for a few seconds, and never kept across a movement of money.

import type { App } from '../app.ts';
import type { UserRow } from '../entities/rows.ts';
import type { WalletAccount } from '../queries/wallet.ts';

const FRESH_MS = 15_000;

/**
 * @returns minor units of the home currency; 0 while the account is not active.
 * @throws OutcomeUnknown when the balance must be fetched and the provider cannot be reached.
 */
export async function readBalance(
  app: App,
  user: UserRow,
  home: Pick<WalletAccount, 'state' | 'providerAccountId'> | null,
): Promise<number> {
  if (home?.state !== 'active' || home.providerAccountId === null) return 0;
  const now = app.clock.now();
  const isFresh = user.balance_read_at !== null && now.getTime() - user.balance_read_at.getTime() < FRESH_MS;
  if (isFresh && user.balance_minor !== null) return user.balance_minor;

  const { balanceMinor } = await app.provider.getAccount(home.providerAccountId);
  // Kept only if no money moved since the user's row was read: otherwise this is already an old balance.
  await app.db
    .updateTable('users')
    .set({ balance_minor: balanceMinor, balance_read_at: now })
    .where('id', '=', user.id)
    .where('balance_version', '=', user.balance_version)
    .execute();
  return balanceMinor;
}
