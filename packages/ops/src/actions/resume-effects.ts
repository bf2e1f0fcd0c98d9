// Resumes the effects of a paused type.

import type { Clock } from '../../../../src/domain/clock.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { auditOperator, type By } from '../../../../src/platform/security/audit-operator.ts';
import { deletePause } from '../../../../src/platform/sql/effect-pauses.ts';
import { addPausedTime } from '../../../../src/platform/sql/effects.ts';
import { effectHandlers } from '../../../../src/start/effect-handlers.ts';
import { type CommandCall, type CommandSpec, UsageError } from '../command.ts';
import { printResult } from '../output.ts';

export const effectsResumeCommand: CommandSpec = {
  name: 'effects resume',
  summary: 'send the effects of a paused type again',
  argument: { name: 'effectType', form: 'text' },
  run,
};

async function run({ app, out, argument: type, operator, reason }: CommandCall): Promise<void> {
  const resumed = await resumeEffects(app, type, { operator, reason });
  const known = Object.keys(effectHandlers);
  // A newer version may have paused a type that this one does not know.
  if (!resumed && !known.includes(type))
    throw new UsageError(`There is no effect type "${type}". The types are ${known.join(', ')}.`);
  printResult(
    out,
    resumed
      ? {
          changed: true,
          sentence: `${type} is sent again within two seconds, with the effects that have waited.`,
        }
      : { changed: false, sentence: `${type} is not paused.` },
  );
}

/** Resumes a type of effect. Returns false if it is not paused. */
function resumeEffects({ db, clock }: { db: Db; clock: Clock }, type: string, by: By): Promise<boolean> {
  const now = clock.now();
  return inDbTransaction(db, async (tx) => {
    const pause = await deletePause(tx, { type });
    if (pause === undefined) return false;
    await addPausedTime(tx, { type, since: pause.pausedAt });
    await auditOperator(tx, { ...by, action: 'effects resume', target: type, userId: null, now });
    return true;
  });
}
