// Lets a kind of effect go on.

import { effectHandlers } from '../../effects/index.ts';
import { type Call, UsageError } from '../command.ts';
import { resumeEffects } from '../writes/pause-effects.ts';
import { printResult } from './result.ts';

export async function run({ app, out, argument: type, operator, reason }: Call): Promise<void> {
  const resumed = await resumeEffects(app, type, { operator, reason });
  const known = Object.keys(effectHandlers);
  // A kind that an older version does not know may have been paused by a newer one.
  if (!resumed && !known.includes(type))
    throw new UsageError(`There is no effect "${type}". There are: ${known.join(', ')}.`, 'resume');
  printResult(
    out,
    resumed
      ? { changed: true, sentence: `${type} goes on within two seconds, with all that has waited.` }
      : { changed: false, sentence: `${type} is not paused.` },
  );
}
