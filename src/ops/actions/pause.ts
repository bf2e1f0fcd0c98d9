// Holds a kind of effect back.
import { setTimeout as sleep } from 'node:timers/promises';
import { effectHandlers } from '../../effects/index.ts';
import { PAUSES_KNOWN_FOR_MS } from '../../outbox/paused-effects.ts';
import { type Call, UsageError } from '../command.ts';
import { pauseEffects } from '../writes/pause-effects.ts';
import { printResult } from './result.ts';

/** Processes read the pauses by their own clocks: the operator is answered a little after the last of them must have. */
const MARGIN_MS = 200;

export async function run({ app, out, argument: type, operator, reason }: Call): Promise<void> {
  const known = Object.keys(effectHandlers);
  if (!known.includes(type))
    throw new UsageError(`There is no effect "${type}". These can be paused: ${known.join(', ')}.`, 'pause');
  const paused = await pauseEffects(app, type, { operator, reason });
  // A process that has not read the pause yet would still send: the operator is told when none does.
  if (paused) await sleep(PAUSES_KNOWN_FOR_MS + MARGIN_MS);
  printResult(
    out,
    paused
      ? {
          changed: true,
          sentence: `${type} is held back by every process; what is under way ends. Orders wait in the queue.`,
        }
      : { changed: false, sentence: `${type} is paused already.` },
  );
}
