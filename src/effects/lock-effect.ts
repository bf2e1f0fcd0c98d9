// Reads an effect under the lock of its row, for a decision that only the holder of its lease may write:
// as it is now, because another run of it may have gone unanswered since this one began.
import type { Db } from '../database/orm.ts';
import type { EffectRow } from '../entities/rows.ts';
import { LeaseLost } from '../outbox/leases.ts';

/** @throws LeaseLost when another run has the effect, or an operator ended it. */
export async function lockEffect(
  tx: Db,
  { id, user_id: userId, lease_token: token }: EffectRow,
): Promise<EffectRow> {
  const effect = await tx
    .selectFrom('effects')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('lease_token', '=', token)
    .where('status', '=', 'queued')
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!effect) throw new LeaseLost('effect', id);
  return effect;
}
