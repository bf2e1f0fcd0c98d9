// Reserves money. Reads the balance at the provider, then decides under the lock of the user's row, so no other request can reserve
// the same money. The provider is called outside the lock; the decision counts debits that became known meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../domain/refusals.ts';
import { required } from '../domain/required.ts';
import { type EnqueuingTx, type GroupCommitting, groupedTransaction } from '../outbox/hand-off.ts';
import { DatabaseTime } from '../platform/database/database-time.ts';
import type { Provider } from '../provider/port.ts';
import { readHistory } from '../tables/database-histories/recovery.ts';
import type { Db } from '../tables/orm.ts';
import { sumReserved, sumUnsent } from '../tables/provider-resources/statements.ts';
import { lockUser } from '../tables/users/lock-user.ts';
import { findBalanceVersion, type KnownUser } from '../tables/users/statements.ts';
import { assertNothingLost } from './nothing-lost.ts';

/** Pauses before the balance is read again, if an earlier debit may or may not have left it. They add up to 6.5 seconds. */
const PAUSES_MS = [100, 300, 800, 1_800, 3_500];

/** The steps that run under the lock. `replay` runs first, because returning an earlier result needs no money. */
export type ReservationSteps<Result> = {
  /** A check by the provider, which ends before the lock is taken. It must not reject. */
  check?: Promise<unknown>;
  replay: (tx: Db) => Promise<Result | null>;
  /** Runs if the balance is sufficient. @param now the database's clock, read under the lock. */
  commit: (tx: EnqueuingTx, now: Date) => Promise<Result>;
};

/**
 * Runs the decision if the user's free balance covers the amount.
 * @param user as read when the request began. The balance that is read afterwards is at least as new as this version.
 * @param amountMinor the amount to reserve, in minor units of the home currency.
 * @throws Refusal `insufficient_funds`; `balance_unconfirmed` while it is unknown whether an earlier debit has left the balance;
 *   `recovery_underway` if a restored database may lack what the user has done; or the refusal that the decision throws.
 * @throws OutcomeUnknown if the balance cannot be read. Nothing is reserved.
 */
export async function reserve<Result>(
  { db, groupCommit, outbox, provider }: GroupCommitting & { provider: Provider },
  { id: userId, balanceVersion: firstVersion }: Pick<KnownUser, 'id' | 'balanceVersion'>,
  { amountMinor, homeAccountRef }: { amountMinor: number; homeAccountRef: string },
  decision: ReservationSteps<Result>,
): Promise<Result> {
  for (let reads = 0; ; reads += 1) {
    const version = reads === 0 ? firstVersion : await balanceVersion(db, userId);
    const [{ balanceMinor }] = await Promise.all([provider.getAccount(homeAccountRef), decision.check]);
    const outcome = await groupedTransaction({ db, groupCommit, outbox }, userId, async (tx) => {
      // These statements are sent together, in this order. Those after the lock see what was committed
      // while the lock was waited for.
      const [, replayed, reserved, now, history] = await Promise.all([
        lockUser(tx, userId),
        decision.replay(tx),
        reservedSince(tx, userId, version),
        DatabaseTime.readNow(tx),
        readHistory(tx),
      ]);
      if (replayed !== null) return { result: replayed };
      await assertNothingLost(tx, userId, history);
      if (balanceMinor - reserved.totalMinor >= amountMinor)
        return { result: await decision.commit(tx, now.toDate()) };
      // A debit that was never sent cannot have left the balance.
      const unsent = await sumUnsent(tx, { userId, version });
      return balanceMinor - (unsent?.unsentMinor ?? 0) < amountMinor ? 'short' : 'tight';
    });
    if (outcome === 'short') throw new Refusal('insufficient_funds');
    if (outcome !== 'tight') return outcome.result;
    // An earlier debit may already have left the balance. The next read shows it.
    const pauseMs = PAUSES_MS[reads];
    if (pauseMs === undefined) throw new Refusal('balance_unconfirmed');
    await pause(pauseMs);
  }
}

const balanceVersion = async (db: Db, userId: string): Promise<number> =>
  required(await findBalanceVersion(db, { userId }), `the user ${userId}`).balanceVersion;

async function reservedSince(tx: Db, userId: string, version: number) {
  const sum = await sumReserved(tx, { userId, version });
  if (!sum) throw new Error('the sum of the reservations has no row');
  return sum;
}
