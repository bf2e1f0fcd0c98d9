// Reserving money once: reads the balance at the provider, then decides under the user's row lock, where no other request
// can reserve the same money. The provider is called outside the lock; debits that became known meanwhile are counted.
import { setTimeout as pause } from 'node:timers/promises';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Entity } from '../entities/rows.ts';
import { groupedTransaction } from '../outbox/hand-off.ts';
import { sumReserved, sumUnsent } from '../sql/provider-resources.ts';
import { findBalanceVersion, lockUserRow } from '../sql/users.ts';

/** Pauses between the reads of a balance that an earlier debit may or may not have left. They add up to 6.5 seconds. */
const PAUSES_MS = [100, 300, 800, 1_800, 3_500];

/** What is decided under the lock. `replay` comes first: an answer given before needs no money now. */
export type Decision<Result> = {
  replay: (tx: Db) => Promise<Result | null>;
  /** @param now read under the lock, by the database's clock. */
  commit: (tx: Db, now: Date) => Promise<Result>;
};

/**
 * @param user as read when the request began: what is known of the balance cannot be older than its version.
 * @param amountMinor what is to be reserved, in minor units of the home currency.
 * @throws Refusal `insufficient_funds`; `balance_unconfirmed` while it is not known whether an earlier debit has left the
 *   balance; or the refusal that the decision throws.
 * @throws OutcomeUnknown when the balance cannot be read: nothing is reserved.
 */
export async function reserve<Result>(
  app: App,
  { id: userId, balanceVersion: firstVersion }: Pick<Entity<'User'>, 'id' | 'balanceVersion'>,
  { amountMinor, homeAccountRef }: { amountMinor: number; homeAccountRef: string },
  decision: Decision<Result>,
): Promise<Result> {
  for (let reads = 0; ; reads += 1) {
    const version = reads === 0 ? firstVersion : await balanceVersion(app.db, userId);
    const { balanceMinor } = await app.provider.getAccount(homeAccountRef);
    const outcome = await groupedTransaction(app, userId, async (tx) => {
      // Sent together, in this order: what comes behind the lock sees what was committed while it was waited for.
      const [, replayed, reserved] = await Promise.all([
        lockUser(tx, userId),
        decision.replay(tx),
        reservedSince(tx, userId, version),
      ]);
      if (replayed !== null) return { result: replayed };
      if (balanceMinor - reserved.totalMinor >= amountMinor)
        return { result: await decision.commit(tx, reserved.now) };
      // A debit that was never sent cannot have left the balance.
      const unsent = await sumUnsent(tx, { userId, version });
      return balanceMinor - (unsent?.unsentMinor ?? 0) < amountMinor ? 'short' : 'tight';
    });
    if (outcome === 'short') throw new Refusal('insufficient_funds');
    if (outcome !== 'tight') return outcome.result;
    // An earlier debit may have left the balance already. The next read shows it.
    const pauseMs = PAUSES_MS[reads];
    if (pauseMs === undefined) throw new Refusal('balance_unconfirmed');
    await pause(pauseMs);
  }
}

/** Locks the user's row for the rest of the transaction; every reservation starts here. */
export async function lockUser(tx: Db, userId: string): Promise<Entity<'User'>> {
  const user = await lockUserRow(tx, { userId });
  if (!user) throw new Error(`the user ${userId} is missing`);
  if (user.closedAt !== null) throw new Refusal('account_closed');
  return user;
}

async function balanceVersion(db: Db, userId: string): Promise<number> {
  const user = await findBalanceVersion(db, { userId });
  if (!user) throw new Error(`the user ${userId} is missing`);
  return user.balanceVersion;
}

async function reservedSince(tx: Db, userId: string, version: number) {
  const sum = await sumReserved(tx, { userId, version });
  if (!sum) throw new Error('a sum without a row');
  return sum;
}
