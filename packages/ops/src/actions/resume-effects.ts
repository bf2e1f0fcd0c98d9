// Resumes the effects of a paused type.
import { effectHandlers } from '../../../../src/start/effect-handlers.ts';
import { type CommandCall, UsageError } from '../command.ts';
import { resumeEffects } from '../writes/pause-effects.ts';
import { printResult } from './print-result.ts';

export async function run({ app, out, argument: type, operator, reason }: CommandCall): Promise<void> {
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
