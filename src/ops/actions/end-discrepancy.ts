// Ends what a discrepancy holds, as a person has found it to have ended.

import { type Call, OpsFailure, UsageError } from '../command.ts';
import { endDiscrepancy, type ReviewOutcome, reviewOutcomes } from '../writes/end-discrepancy.ts';
import { printResult } from './result.ts';

export async function run({ app, out, argument: id, options, operator, reason }: Call): Promise<void> {
  const as = reviewOutcomes.find((outcome) => outcome === options['as']);
  if (as === undefined)
    throw new UsageError(`Say how it has ended: --as ${reviewOutcomes.join(', ')}.`, 'discrepancies end');
  const ended = await endDiscrepancy(app, id, as, { operator, reason });
  switch (ended.outcome) {
    case 'ended':
      return printResult(out, { changed: true, sentence: told[as] });
    case 'resolved_before':
      return printResult(out, { changed: false, sentence: 'It was resolved before.' });
    case 'not_found':
      throw new OpsFailure(`There is no discrepancy ${id}.`);
    case 'holds_nothing':
      throw new OpsFailure('It holds no payment and no withdrawal: see discrepancies resolve.');
    case 'not_allowed':
      throw new OpsFailure(
        ended.allowed.length === 0
          ? `What it is about is ${ended.state}, which has ended already: see discrepancies resolve.`
          : `What it is about is ${ended.state}: it can end as ${ended.allowed.join(' or ')}.`,
      );
  }
}

const told: Record<ReviewOutcome, string> = {
  completed: 'It is completed, and the user sees that; the discrepancy is resolved.',
  failed: 'It has failed, and the user sees that; the discrepancy is resolved.',
  manual_review: 'It waits in manual_review, where nothing moves by itself; the discrepancy is resolved.',
};
