// Tries an effect at once.

import { type Call, OpsFailure } from '../command.ts';
import { requeueEffect } from '../writes/requeue-effect.ts';
import { printResult } from './result.ts';

export async function run({ app, out, argument: id, operator, reason }: Call): Promise<void> {
  const outcome = await requeueEffect(app, id, { operator, reason });
  switch (outcome) {
    case 'queued':
      return printResult(out, {
        changed: true,
        sentence: 'It is in the queue; what exists at the provider under its handle is looked up first.',
      });
    case 'running':
      return printResult(out, { changed: false, sentence: 'A worker is at it at this moment.' });
    case 'done':
    case 'failed':
    case 'superseded':
      return printResult(out, {
        changed: false,
        sentence:
          outcome === 'superseded'
            ? 'It is superseded: what ordered it has moved on.'
            : `It has come to its end: ${outcome}.`,
      });
    case 'not_found':
      throw new OpsFailure(`There is no effect ${id}.`);
  }
}
