// Reads an effect again under its row lock, for a decision that only the owner of its lease may write. The row is read again
// because another run may have left a request unanswered since this run started.

import { LeaseLost } from '../outbox/leases.ts';
import type { Entity } from '../platform/database/entities/rows.ts';
import type { Db } from '../platform/database/orm.ts';
import { lockQueuedEffect } from '../platform/sql/effects.ts';

/**
 * Locks an effect for the rest of the transaction.
 * @returns the effect, with the current time by the database's clock (`lockedAt`).
 * @throws LeaseLost if another run has the effect, or an operator completed it.
 */
export async function lockEffect(
  tx: Db,
  { id, userId, leaseToken }: Entity<'Effect'>,
): Promise<Entity<'Effect'> & { lockedAt: Date }> {
  const effect = await lockQueuedEffect(tx, { id, userId, leaseToken });
  if (!effect) throw new LeaseLost('effect', id);
  return effect;
}
