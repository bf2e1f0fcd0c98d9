// Reads the balance that users see. The provider's balance is cached for 15 seconds, but not across a movement of money.

import { type AgeOf, DatabaseTime } from '../platform/database/database-time.ts';
import type { Provider } from '../provider/port.ts';
import type { Db } from '../tables/orm.ts';
import { pollAccountNow } from '../tables/provider-resources/statements.ts';
import { keepBalance, type Wallet } from '../tables/users/statements.ts';

const FRESH_MS = 15_000;

/**
 * Returns the balance in minor units of the home currency; 0 while the account is not active.
 * @param wallet has the cached balance and the time at which it was read. Another process may replace both at any time.
 * @throws OutcomeUnknown if the balance must be fetched and the provider cannot be reached.
 */
export async function readBalance(
  { db, provider, ageOf }: { db: Db; provider: Provider; ageOf: AgeOf },
  userId: string,
  wallet: Wallet,
): Promise<number> {
  const { accountState, providerAccountId, balanceMinor: last, balanceReadAt, balanceVersion } = wallet;
  if (accountState !== 'active' || providerAccountId === null) return 0;
  const isFresh = balanceReadAt !== null && (await ageOf(balanceReadAt)) < FRESH_MS;
  if (isFresh && last !== null) return last;

  const readAt = await DatabaseTime.read(db);
  const { balanceMinor } = await provider.getAccount(providerAccountId);
  // Cached only if no money has moved since the wallet was read; otherwise this balance is already outdated.
  await keepBalance(db, { userId, balanceMinor, balanceReadAt: readAt.toDate(), balanceVersion });
  // The account's next poll scans its movements (reports/poll-resource.ts).
  if (isUnexplained(wallet, balanceMinor))
    await pollAccountNow(db, { userId, accountRef: providerAccountId });
  return balanceMinor;
}

/**
 * Returns whether no known movement of money explains the balance. Then the callback about a deposit is lost or still on its way.
 * After a known movement, a balance is unexplained only if it is higher than the last one. After a deposit no last balance is known.
 */
function isUnexplained({ balanceMinor: last, balanceReadAt }: Wallet, balanceMinor: number): boolean {
  if (last === null || balanceReadAt === null) return balanceMinor > (last ?? 0);
  return balanceMinor !== last;
}
