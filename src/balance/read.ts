// The balance people see: the provider's, kept for a few seconds, and never kept across a movement of money.

import { sql } from 'kysely';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import type { UserRow } from '../entities/rows.ts';
import type { Wallet, WalletAccount } from '../queries/wallet.ts';

const FRESH_MS = 15_000;

/**
 * @param kept by the database's clock: another process may have read the balance that is kept.
 * @returns minor units of the home currency; 0 while the account is not active.
 * @throws OutcomeUnknown when the balance must be fetched and the provider cannot be reached.
 */
export async function readBalance(
  app: Pick<App, 'db' | 'provider'>,
  user: UserRow,
  home: Pick<WalletAccount, 'state' | 'providerAccountId'> | null,
  { readAt, balanceKeptMs }: Pick<Wallet, 'readAt' | 'balanceKeptMs'>,
): Promise<number> {
  if (home?.state !== 'active' || home.providerAccountId === null) return 0;
  const isFresh = balanceKeptMs !== null && balanceKeptMs < FRESH_MS;
  if (isFresh && user.balance_minor !== null) return user.balance_minor;

  const { balanceMinor } = await app.provider.getAccount(home.providerAccountId);
  // Kept only if no money moved since the user's row was read: otherwise this is already an old balance.
  await app.db
    .updateTable('users')
    .set({ balance_minor: balanceMinor, balance_read_at: new Date(readAt) })
    .where('id', '=', user.id)
    .where('balance_version', '=', user.balance_version)
    .execute();
  if (isUnexplained(user, balanceMinor)) await requestScan(app.db, user.id, home.providerAccountId);
  return balanceMinor;
}

/**
 * Whether no known movement of money explains the balance: the callback about a deposit is lost, or still on its way. After a
 * known movement only a balance that is higher than the last one with the deposits since is unexplained.
 */
function isUnexplained(
  { balance_minor: last, balance_read_at: readAt }: UserRow,
  balanceMinor: number,
): boolean {
  if (last === null || readAt === null) return balanceMinor > (last ?? 0);
  return balanceMinor !== last;
}

/** The next poll of the account scans its movements (snapshots/poll-resource.ts). */
async function requestScan(db: Db, userId: string, accountRef: string): Promise<void> {
  await db
    .updateTable('provider_resources')
    .set({ poll_count: 0, next_poll_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('provider_ref', '=', accountRef)
    .where('kind', '=', 'account')
    .where((is) => is.or([is('next_poll_at', 'is', null), is('next_poll_at', '>', sql<Date>`now()`)]))
    .execute();
}
