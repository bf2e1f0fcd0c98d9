// An effect is tried now, also an exhausted one, because an operator asks for it.
import type { App } from '../../app.ts';
import { auditOperator, type By } from '../../audit/operator.ts';
import { inTransaction } from '../../database/transaction.ts';
import { lockEffectById, requeueEffectById } from '../../sql/effects.ts';

/** The handle of an effect that was tried before is looked up before it is sent again: so the count never goes back to 0. */
const TRIED_BEFORE = 1;

/**
 * @returns `running` while a process carries it out: of two concurrent runs, each could miss the other's request; `done`,
 *   `failed` or `superseded` for an effect that has its outcome.
 */
export function requeueEffect(
  app: App,
  effectId: string,
  by: By,
): Promise<'queued' | 'running' | 'done' | 'failed' | 'superseded' | 'not_found'> {
  return inTransaction(app.db, async (tx) => {
    const effect = await lockEffectById(tx, { id: effectId });
    if (!effect) return 'not_found';
    const { status, leasedBy, userId, attempts } = effect;
    if (status !== 'queued' && status !== 'exhausted') return status;
    if (leasedBy !== null) return 'running';
    await requeueEffectById(tx, {
      id: effectId,
      attempts: status === 'exhausted' ? TRIED_BEFORE : attempts,
    });
    const now = app.clock.now();
    await auditOperator(tx, { ...by, action: 'effects requeue', target: effectId, userId, now });
    return 'queued';
  });
}
