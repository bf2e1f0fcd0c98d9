// Makes an effect due now, also an exhausted one, at an operator's request.

import type { Clock } from '../../../../src/domain/clock.ts';
import { auditOperator, type By } from '../../../../src/platform/audit/operator.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { lockEffectById, requeueEffectById } from '../../../../src/platform/sql/effects.ts';

/** The attempts of a requeued exhausted effect. With a count above zero, the effect's handle is looked up before anything is sent. */
const TRIED_BEFORE = 1;

/**
 * Makes an effect due now.
 * @returns `running` if a process is running the effect: two concurrent runs could each miss the other's request. `done`, `failed` or
 *   `superseded` if the effect already has its outcome.
 */
export function requeueEffect(
  { db, clock }: { db: Db; clock: Clock },
  effectId: string,
  by: By,
): Promise<'queued' | 'running' | 'done' | 'failed' | 'superseded' | 'not_found'> {
  return inDbTransaction(db, async (tx) => {
    const effect = await lockEffectById(tx, { id: effectId });
    if (!effect) return 'not_found';
    const { status, leasedBy, userId, attempts } = effect;
    if (status !== 'queued' && status !== 'exhausted') return status;
    if (leasedBy !== null) return 'running';
    await requeueEffectById(tx, {
      id: effectId,
      attempts: status === 'exhausted' ? TRIED_BEFORE : attempts,
    });
    const now = clock.now();
    await auditOperator(tx, { ...by, action: 'effects requeue', target: effectId, userId, now });
    return 'queued';
  });
}
