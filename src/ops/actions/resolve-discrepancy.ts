// Takes a discrepancy off the list.

import { type Call, OpsFailure } from '../command.ts';
import { resolveDiscrepancy } from '../writes/resolve-discrepancy.ts';
import { printResult } from './result.ts';

export async function run({ app, out, argument: id, operator, reason }: Call): Promise<void> {
  const outcome = await resolveDiscrepancy(app, id, { operator, reason });
  if (outcome === 'not_found') throw new OpsFailure(`There is no discrepancy ${id}.`);
  printResult(
    out,
    outcome === 'resolved'
      ? { changed: true, sentence: 'It is off the list; what you found out is kept with it.' }
      : { changed: false, sentence: 'It was resolved before.' },
  );
}
