// Pauses and resumes the effects of one type. While it is paused, its effects wait in the outbox: none is lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { PAUSES_KNOWN_FOR_MS } from '../../src/outbox/paused-effects.ts';
import { DatabaseTime } from '../../src/platform/database/database-time.ts';
import { effectHandlers } from '../../src/start/effect-handlers.ts';
import { deletePause, insertPause } from '../../src/tables/effect-pauses/statements.ts';
import { addPausedTime, listUnfinishedOfType } from '../../src/tables/effects/statements.ts';
import { keysOf } from '../../src/tables/work.ts';
import { audit, changed, inOneCommit, unchanged } from '../action.ts';
import { type CommandSpec, UsageError } from '../command.ts';

/** Each process reads the pauses once per second, by its own clock. The command waits this much longer for the last of them. */
const MARGIN_MS = 200;

export const effectsPauseCommand: CommandSpec = {
  name: 'effects pause',
  summary: 'send no effects of one type to the provider until they are resumed',
  argument: { name: 'effectType', form: 'text' },
  run: async (call) => {
    assertKnown(call.argument);
    const result = await pauseType(call);
    // A process that has not read the pause still sends effects, so the command returns only when every process has read it.
    if (result.changed) await sleep(PAUSES_KNOWN_FOR_MS + MARGIN_MS);
    return result;
  },
};

/** Pauses a type of effect. If it is already paused, the first reason stays. */
const pauseType = inOneCommit(async (tx, call) => {
  const { argument: type, operator, reason } = call;
  if ((await insertPause(tx, { type, operator, reason })) !== 1)
    return unchanged(`${type} is paused already.`);
  await audit(tx, call, { target: type, userId: null });
  return changed(
    `${type} is paused in every process. Calls in progress end; new effects wait in the outbox.`,
  );
});

export const effectsResumeCommand: CommandSpec = {
  name: 'effects resume',
  summary: 'send the effects of a paused type again',
  argument: { name: 'effectType', form: 'text' },
  run: inOneCommit(async (tx, call) => {
    const { argument: type } = call;
    const pause = await deletePause(tx, { type });
    if (pause === undefined) {
      // A newer version may have paused a type that this one does not know.
      assertKnown(type);
      return unchanged(`${type} is not paused.`);
    }
    const [paused, now] = await Promise.all([listUnfinishedOfType(tx, { type }), DatabaseTime.read(tx)]);
    await addPausedTime(tx, { ...keysOf(paused), since: pause.pausedAt, now });
    await audit(tx, call, { target: type, userId: null });
    return changed(`${type} is sent again within two seconds, with the effects that have waited.`);
  }),
};

/** @throws UsageError if this version has no such type of effect. */
function assertKnown(type: string): void {
  const types = Object.keys(effectHandlers);
  if (!types.includes(type))
    throw new UsageError(`There is no effect type "${type}". The types are ${types.join(', ')}.`);
}
