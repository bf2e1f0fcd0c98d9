// Makes an effect due now, also an exhausted one.
import { type CommandCall, OpsFailure } from '../command.ts';
import { requeueEffect } from '../writes/requeue-effect.ts';
import { printResult } from './print-result.ts';

export async function run({ app, out, argument: id, operator, reason }: CommandCall): Promise<void> {
  const outcome = await requeueEffect(app, id, { operator, reason });
  switch (outcome) {
    case 'queued':
      return printResult(out, {
        changed: true,
        sentence: 'The effect is queued; its handle is looked up at the provider before anything is sent.',
      });
    case 'running':
      return printResult(out, {
        changed: false,
        sentence: 'A worker is carrying the effect out at this moment.',
      });
    case 'done':
    case 'failed':
    case 'superseded':
      return printResult(out, {
        changed: false,
        sentence:
          outcome === 'superseded'
            ? 'The effect is superseded: its payment or withdrawal has moved on.'
            : `The effect has its outcome: ${outcome}.`,
      });
    case 'not_found':
      throw new OpsFailure(`There is no effect ${id}.`);
  }
}
