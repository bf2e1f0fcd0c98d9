// Refuses a former webhook secret from now on.

import { nextStepOfRotation } from '../../webhooks/rotation.ts';
import { type Call, OpsFailure } from '../command.ts';
import { type Revocation, revokeWebhookSecret } from '../writes/revoke-webhook-secret.ts';
import { printResult } from './result.ts';

export async function run({ app, out, argument: id, operator, reason }: Call): Promise<void> {
  const outcome = await revokeWebhookSecret(app, id, { operator, reason });
  if (outcome in failures) throw new OpsFailure(failures[outcome as keyof typeof failures]);
  if (outcome === 'over_before')
    return printResult(out, { changed: false, sentence: 'It was refused before.' });
  const next = await nextStepOfRotation(app.db);
  printResult(out, {
    changed: true,
    sentence:
      next === null
        ? 'It is refused from now on.'
        : `It is refused from now on, and so is what still calls back under it. To end that: ${next}.`,
  });
}

const failures: Record<Exclude<Revocation, 'revoked' | 'over_before'>, string> = {
  unknown: 'There is no such secret. See: npm run ops -- webhook-secret status',
  in_use:
    'Only a former secret can be revoked. Rotate the current one first; give up a pending one by rotating --anew.',
  configured:
    'This call is configured with it, and whoever runs with it accepts it: configure the new secret and restart first.',
};
