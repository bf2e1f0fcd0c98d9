// Makes an effect due now, also an exhausted one.

import type { Clock } from '../../../../src/domain/clock.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { auditOperator, type By } from '../../../../src/platform/security/audit-operator.ts';
import { lockEffectById, queueEffectAgain } from '../../../../src/platform/sql/effects.ts';
import { TRIED_BEFORE } from '../../../../src/provider/backoff.ts';
import { type CommandCall, type CommandSpec, OpsFailure } from '../command.ts';
import { printResult } from '../output.ts';

export const effectsRequeueCommand: CommandSpec = {
  name: 'effects requeue',
  summary: 'try an effect now, also an exhausted one',
  argument: { name: 'effectId', form: 'uuid' },
  run,
};

async function run({ app, out, argument: id, operator, reason }: CommandCall): Promise<void> {
  const outcome = await requeueEffect(app, id, { operator, reason });
  switch (outcome) {
    case 'queued':
      return printResult(out, {
        changed: true,
        sentence: 'The effect is queued; its handle is looked up at the provider before anything is sent.',
      });
    case 'running':
      return printResult(out, {
        changed: false,
        sentence: 'A worker is running the effect at the moment.',
      });
    case 'done':
    case 'failed':
    case 'superseded':
      return printResult(out, {
        changed: false,
        sentence:
          outcome === 'superseded'
            ? 'The effect is superseded: its payment or withdrawal has moved on.'
            : `The effect has its outcome: ${outcome}.`,
      });
    case 'not_found':
      throw new OpsFailure(`There is no effect ${id}.`);
  }
}

/**
 * Makes an effect due now.
 * @returns `running` if a process is running the effect: two concurrent runs could each miss the other's request. `done`, `failed` or
 *   `superseded` if the effect already has its outcome.
 */
function requeueEffect(
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
    await queueEffectAgain(tx, {
      id: effectId,
      userId,
      attempts: status === 'exhausted' ? TRIED_BEFORE : attempts,
    });
    const now = clock.now();
    await auditOperator(tx, { ...by, action: 'effects requeue', target: effectId, userId, now });
    return 'queued';
  });
}
