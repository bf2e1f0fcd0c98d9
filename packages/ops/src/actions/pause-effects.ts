// Pauses the effects of one type. While it is paused, its effects wait in the outbox: none is lost.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../../src/domain/clock.ts';
import { PAUSES_KNOWN_FOR_MS } from '../../../../src/outbox/paused-effects.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { auditOperator, type By } from '../../../../src/platform/security/audit-operator.ts';
import { insertPause } from '../../../../src/platform/sql/effect-pauses.ts';
import { effectHandlers } from '../../../../src/start/effect-handlers.ts';
import { type CommandCall, type CommandSpec, UsageError } from '../command.ts';
import { printResult } from '../output.ts';

export const effectsPauseCommand: CommandSpec = {
  name: 'effects pause',
  summary: 'send no effects of one type to the provider until they are resumed',
  argument: { name: 'effectType', form: 'text' },
  run,
};

/** Each process reads the pauses once per second, by its own clock. The command waits this much longer for the last of them. */
const MARGIN_MS = 200;

async function run({ app, out, argument: type, operator, reason }: CommandCall): Promise<void> {
  const known = Object.keys(effectHandlers);
  if (!known.includes(type))
    throw new UsageError(`There is no effect type "${type}". The types are ${known.join(', ')}.`);
  const paused = await pauseEffects(app, type, { operator, reason });
  // A process that has not read the pause still sends effects, so the command returns only when every process has read it.
  if (paused) await sleep(PAUSES_KNOWN_FOR_MS + MARGIN_MS);
  printResult(
    out,
    paused
      ? {
          changed: true,
          sentence: `${type} is paused in every process. Calls in progress end; new effects wait in the outbox.`,
        }
      : { changed: false, sentence: `${type} is paused already.` },
  );
}

/** Pauses a type of effect. Returns false if it is already paused: the first reason stays. */
function pauseEffects({ db, clock }: { db: Db; clock: Clock }, type: string, by: By): Promise<boolean> {
  const now = clock.now();
  return inDbTransaction(db, async (tx) => {
    if ((await insertPause(tx, { type, ...by })) !== 1) return false;
    await auditOperator(tx, { ...by, action: 'effects pause', target: type, userId: null, now });
    return true;
  });
}
