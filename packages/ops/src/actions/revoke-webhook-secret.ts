// Revokes a former webhook secret, so that it is refused from now on.
import { nextStepOfRotation } from '../../../../src/webhooks/rotation.ts';
import { type CommandCall, OpsFailure } from '../command.ts';
import { type Revocation, revokeWebhookSecret } from '../writes/revoke-webhook-secret.ts';
import { printResult } from './print-result.ts';

export async function run({ app, out, argument: id, operator, reason }: CommandCall): Promise<void> {
  const outcome = await revokeWebhookSecret(app, id, { operator, reason });
  if (outcome in failures) throw new OpsFailure(failures[outcome as keyof typeof failures]);
  if (outcome === 'over_before')
    return printResult(out, { changed: false, sentence: 'The secret was refused before.' });
  const next = await nextStepOfRotation(app.db);
  printResult(out, {
    changed: true,
    sentence:
      next === null
        ? 'The secret is refused from now on.'
        : `The secret is refused from now on, and so are callbacks that still use it. To move them: ${next}.`,
  });
}

const failures: Record<Exclude<Revocation, 'revoked' | 'over_before'>, string> = {
  unknown: 'There is no such secret. See: npm run ops -- webhook-secret status',
  in_use:
    'Only a former secret can be revoked. Rotate the current one first; give up a pending one with webhook-secret rotate --force-new.',
  configured:
    'This secret is configured here, and every process that is configured with it accepts it: configure the new secret and restart first.',
};
