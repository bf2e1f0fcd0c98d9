// Holds a kind of effect back.
import { pauseEffects } from '../../commands/pause-effects.ts';
import { effectHandlers } from '../../effects/index.ts';
import { type Call, UsageError } from '../command.ts';
import { printResult } from './result.ts';

export async function run({ app, out, argument: type, operator, reason }: Call): Promise<void> {
  const known = Object.keys(effectHandlers);
  if (!known.includes(type))
    throw new UsageError(`There is no effect "${type}". These can be paused: ${known.join(', ')}.`, 'pause');
  const paused = await pauseEffects(app, type, { operator, reason });
  printResult(
    out,
    paused
      ? {
          changed: true,
          sentence: `${type} is held back within a second; what is under way ends. Orders wait in the queue.`,
        }
      : { changed: false, sentence: `${type} is paused already.` },
  );
}
