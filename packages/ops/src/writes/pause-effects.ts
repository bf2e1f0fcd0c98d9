// Pauses and resumes the effects of one type. While it is paused, its effects wait in the outbox: none is lost.

import type { Clock } from '../../../../src/domain/clock.ts';
import { auditOperator, type By } from '../../../../src/platform/audit/operator.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { deletePause, insertPause } from '../../../../src/platform/sql/effect-pauses.ts';
import { addPausedTime } from '../../../../src/platform/sql/effects.ts';

/** Pauses a type of effect. Returns false if it is already paused: the first reason stays. */
export function pauseEffects(
  { db, clock }: { db: Db; clock: Clock },
  type: string,
  by: By,
): Promise<boolean> {
  const now = clock.now();
  return inDbTransaction(db, async (tx) => {
    if ((await insertPause(tx, { type, ...by })) !== 1) return false;
    await auditOperator(tx, { ...by, action: 'effects pause', target: type, userId: null, now });
    return true;
  });
}

/** Resumes a type of effect. Returns false if it is not paused. */
export function resumeEffects(
  { db, clock }: { db: Db; clock: Clock },
  type: string,
  by: By,
): Promise<boolean> {
  const now = clock.now();
  return inDbTransaction(db, async (tx) => {
    const pause = await deletePause(tx, { type });
    if (pause === undefined) return false;
    await addPausedTime(tx, { type, since: pause.pausedAt });
    await auditOperator(tx, { ...by, action: 'effects resume', target: type, userId: null, now });
    return true;
  });
}
