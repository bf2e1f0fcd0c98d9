// An effect is tried now, also an exhausted one, because an operator asks for it.
import { sql } from 'kysely';
import type { App } from '../../app.ts';
import { auditOperator, type By } from '../../audit/operator.ts';
import type { Db } from '../../database/orm.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { EffectRow } from '../../entities/rows.ts';

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
    const effect = await tx
      .selectFrom('effects')
      .selectAll()
      .where('id', '=', effectId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!effect) return 'not_found';
    if (effect.status !== 'queued' && effect.status !== 'exhausted') return effect.status;
    if (effect.leased_by !== null) return 'running';
    await resetEffect(tx, effect);
    const now = app.clock.now();
    await auditOperator(tx, {
      ...by,
      action: 'effects requeue',
      target: effectId,
      userId: effect.user_id,
      now,
    });
    return 'queued';
  });
}

async function resetEffect(tx: Db, { id, status, attempts }: EffectRow): Promise<void> {
  await tx
    .updateTable('effects')
    .set({
      status: 'queued',
      attempts: status === 'exhausted' ? TRIED_BEFORE : attempts,
      due_at: sql<Date>`now()`,
      finished_at: null,
    })
    .where('id', '=', id)
    .execute();
}
