// Reads an effect under the lock of its row, for a decision that only the holder of its lease may write:
// as it is now, because another run of it may have gone unanswered since this one began.
import type { Db } from '../database/orm.ts';
import type { Entity } from '../entities/rows.ts';
import { LeaseLost } from '../outbox/leases.ts';
import { lockQueuedEffect } from '../sql/effects.ts';

/**
 * @returns the effect, and the present time by the database's clock (`lockedAt`).
 * @throws LeaseLost when another run has the effect, or an operator ended it.
 */
export async function lockEffect(
  tx: Db,
  { id, userId, leaseToken }: Entity<'Effect'>,
): Promise<Entity<'Effect'> & { lockedAt: Date }> {
  const effect = await lockQueuedEffect(tx, { id, userId, leaseToken });
  if (!effect) throw new LeaseLost('effect', id);
  return effect;
}
