// Reads an effect under the lock of its row, for a decision that only the holder of its lease may write:
// as it is now, because another run of it may have gone unanswered since this one began.
import { sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import type { EffectRow } from '../entities/rows.ts';
import { LeaseLost } from '../outbox/leases.ts';

/**
 * @returns the effect, and the present time by the database's clock (`locked_at`).
 * @throws LeaseLost when another run has the effect, or an operator ended it.
 */
export async function lockEffect(
  tx: Db,
  { id, user_id: userId, lease_token: token }: EffectRow,
): Promise<EffectRow & { locked_at: Date }> {
  const effect = await tx
    .selectFrom('effects')
    .selectAll()
    .select(sql<Date>`now()`.as('locked_at'))
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('lease_token', '=', token)
    .where('status', '=', 'queued')
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!effect) throw new LeaseLost('effect', id);
  return effect;
}
