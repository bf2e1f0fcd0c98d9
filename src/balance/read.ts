// The balance people see: the provider's, kept for a few seconds, and never kept across a movement of money.

import type { App } from '../app.ts';
import type { Entity } from '../entities/rows.ts';
import { pollAccountNow } from '../sql/provider-resources.ts';
import { keepBalance, type Wallet } from '../sql/users.ts';

const FRESH_MS = 15_000;

/**
 * @param wallet has the age of the kept balance by the database's clock, because another process may have read it.
 * @returns minor units of the home currency; 0 while the account is not active.
 * @throws OutcomeUnknown when the balance must be fetched and the provider cannot be reached.
 */
export async function readBalance(
  app: Pick<App, 'db' | 'provider'>,
  user: Entity<'User'>,
  { accountState, providerAccountId, readAt, balanceKeptMs }: Wallet,
): Promise<number> {
  if (accountState !== 'active' || providerAccountId === null) return 0;
  const isFresh = balanceKeptMs !== null && balanceKeptMs < FRESH_MS;
  if (isFresh && user.balanceMinor !== null) return user.balanceMinor;

  const { balanceMinor } = await app.provider.getAccount(providerAccountId);
  // Kept only if no money moved since the user's row was read: otherwise this is already an old balance.
  await keepBalance(app.db, {
    userId: user.id,
    balanceMinor,
    balanceReadAt: readAt,
    balanceVersion: user.balanceVersion,
  });
  // The next poll of the account scans its movements (snapshots/poll-resource.ts).
  if (isUnexplained(user, balanceMinor))
    await pollAccountNow(app.db, { userId: user.id, accountRef: providerAccountId });
  return balanceMinor;
}

/**
 * Whether no known movement of money explains the balance: the callback about a deposit is lost, or still on its way. After a
 * known movement only a balance that is higher than the last one with the deposits since is unexplained.
 */
function isUnexplained(
  { balanceMinor: last, balanceReadAt: readAt }: Entity<'User'>,
  balanceMinor: number,
): boolean {
  if (last === null || readAt === null) return balanceMinor > (last ?? 0);
  return balanceMinor !== last;
}
