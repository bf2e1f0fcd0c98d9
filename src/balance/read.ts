// Reads the balance that users see. The provider's balance is cached for 15 seconds, but not across a movement of money.

import type { App } from '../app.ts';
import type { Entity } from '../entities/rows.ts';
import { pollAccountNow } from '../sql/provider-resources.ts';
import { keepBalance, type Wallet } from '../sql/users.ts';

const FRESH_MS = 15_000;

/**
 * Returns the balance in minor units of the home currency; 0 while the account is not active.
 * @param wallet has the age of the cached balance by the database's clock, because another process may have read it.
 * @throws OutcomeUnknown if the balance must be fetched and the provider cannot be reached.
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
  // Cached only if no money has moved since the user's row was read; otherwise this balance is already outdated.
  await keepBalance(app.db, {
    userId: user.id,
    balanceMinor,
    balanceReadAt: readAt,
    balanceVersion: user.balanceVersion,
  });
  // The account's next poll scans its movements (snapshots/poll-resource.ts).
  if (isUnexplained(user, balanceMinor))
    await pollAccountNow(app.db, { userId: user.id, accountRef: providerAccountId });
  return balanceMinor;
}

/**
 * Returns whether no known movement of money explains the balance. Then the callback about a deposit is lost or still on its way.
 * After a known movement, a balance is unexplained only if it is higher than the last balance plus the deposits since.
 */
function isUnexplained(
  { balanceMinor: last, balanceReadAt: readAt }: Entity<'User'>,
  balanceMinor: number,
): boolean {
  if (last === null || readAt === null) return balanceMinor > (last ?? 0);
  return balanceMinor !== last;
}
