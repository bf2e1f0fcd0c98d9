// Resolves a discrepancy, with the operator's reason.
import { type CommandCall, OpsFailure } from '../command.ts';
import { resolveDiscrepancy } from '../writes/resolve-discrepancy.ts';
import { printResult } from './print-result.ts';

export async function run({ app, out, argument: id, operator, reason }: CommandCall): Promise<void> {
  const outcome = await resolveDiscrepancy(app, id, { operator, reason });
  if (outcome === 'not_found') throw new OpsFailure(`There is no discrepancy ${id}.`);
  printResult(
    out,
    outcome === 'resolved'
      ? { changed: true, sentence: 'The discrepancy is resolved, and your reason is kept with it.' }
      : { changed: false, sentence: 'The discrepancy was resolved before.' },
  );
}
