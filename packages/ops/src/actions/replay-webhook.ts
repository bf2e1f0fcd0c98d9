// Processes a stored callback again.
import { type CommandCall, OpsFailure } from '../command.ts';
import { replayWebhook } from '../writes/replay-webhook.ts';
import { printResult } from './print-result.ts';

export async function run({ app, out, argument: id, operator, reason }: CommandCall): Promise<void> {
  const outcome = await replayWebhook(app, id, { operator, reason });
  if (outcome === 'not_found') throw new OpsFailure(`There is no callback ${id}.`);
  if (outcome === 'removed')
    throw new OpsFailure(
      `The payload of callback ${id} was removed: it was processed more than 90 days ago.`,
    );
  printResult(
    out,
    outcome === 'queued'
      ? {
          changed: true,
          sentence: 'The callback is queued; its resource is fetched again from the provider.',
        }
      : { changed: false, sentence: 'The callback was applied before.' },
  );
}
