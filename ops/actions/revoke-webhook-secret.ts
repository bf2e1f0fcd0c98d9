// Revokes a former webhook secret that may have leaked, before its seven days are over.

import { lockWebhookSecret, setAcceptedUntil } from '../../src/tables/webhook-secrets/statements.ts';
import { nextStepOfRotation } from '../../src/webhooks/rotation.ts';
import { hashText } from '../../src/webhooks/secrets.ts';
import { audit, changed, inOneCommit, unchanged } from '../action.ts';
import { type CommandSpec, OpsFailure } from '../command.ts';

/** Every process refuses the secret within a second. */
export const webhookSecretRevokeCommand: CommandSpec = {
  name: 'webhook-secret revoke',
  summary: 'refuse a former secret now, before its seven days are over',
  argument: { name: 'secretId', form: 'uuid' },
  run: inOneCommit(async (tx, call) => {
    const { app, argument: id } = call;
    const now = app.clock.now();
    const secret = await lockWebhookSecret(tx, { id });
    if (!secret) throw new OpsFailure('There is no such secret. See: npm run ops -- webhook-secret status');
    if (secret.status !== 'former')
      throw new OpsFailure(
        'Only a former secret can be revoked. Rotate the current one first; give up a pending one with webhook-secret rotate --force-new.',
      );
    // Every process accepts its configured secret even if it is revoked.
    if (secret.hash === hashText(app.config.webhookSecret))
      throw new OpsFailure(
        'This secret is configured here, and every process that is configured with it accepts it: configure the new secret and restart first.',
      );
    if (secret.acceptedUntil !== null && secret.acceptedUntil <= now)
      return unchanged('The secret was refused before.');
    await setAcceptedUntil(tx, { id, acceptedUntil: now });
    const next = await nextStepOfRotation(tx);
    await audit(tx, call, { target: id, userId: null });
    return changed(
      next === null
        ? 'The secret is refused from now on.'
        : `The secret is refused from now on, and so are callbacks that still use it. To move them: ${next}.`,
    );
  }),
};
