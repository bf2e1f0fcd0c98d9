// Pauses the effects of one type.
import { setTimeout as sleep } from 'node:timers/promises';
import { PAUSES_KNOWN_FOR_MS } from '../../../../src/outbox/paused-effects.ts';
import { effectHandlers } from '../../../../src/start/effect-handlers.ts';
import { type CommandCall, UsageError } from '../command.ts';
import { pauseEffects } from '../writes/pause-effects.ts';
import { printResult } from './print-result.ts';

/** Each process reads the pauses once per second, by its own clock. The command waits this much longer for the last of them. */
const MARGIN_MS = 200;

export async function run({ app, out, argument: type, operator, reason }: CommandCall): Promise<void> {
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
