// Ends the payment or withdrawal that a discrepancy blocks, in the state that an operator has determined.
import { type CommandCall, OpsFailure, UsageError } from '../command.ts';
import { endDiscrepancy, type ReviewOutcome, reviewOutcomes } from '../writes/end-discrepancy.ts';
import { printResult } from './print-result.ts';

export async function run({ app, out, argument: id, options, operator, reason }: CommandCall): Promise<void> {
  const as = reviewOutcomes.find((outcome) => outcome === options['as']);
  if (as === undefined) throw new UsageError(`--as takes one of ${reviewOutcomes.join(', ')}.`);
  const ended = await endDiscrepancy(app, id, as, { operator, reason });
  switch (ended.outcome) {
    case 'ended':
      return printResult(out, { changed: true, sentence: sentences[as] });
    case 'resolved_before':
      return printResult(out, { changed: false, sentence: 'The discrepancy was resolved before.' });
    case 'not_found':
      throw new OpsFailure(`There is no discrepancy ${id}.`);
    case 'holds_nothing':
      throw new OpsFailure('The discrepancy holds no payment and no withdrawal: see discrepancies resolve.');
    case 'not_allowed':
      throw new OpsFailure(
        ended.allowed.length === 0
          ? `Its payment or withdrawal is ${ended.state}, an end state: see discrepancies resolve.`
          : `Its payment or withdrawal is ${ended.state}: it can end as ${ended.allowed.join(' or ')}.`,
      );
  }
}

const sentences: Record<ReviewOutcome, string> = {
  completed: 'It is completed, and the user sees that. The discrepancy is resolved.',
  failed: 'It has failed, and the user sees that. The discrepancy is resolved.',
  manual_review: 'It is in manual_review, an end state, and support settles it. The discrepancy is resolved.',
};
