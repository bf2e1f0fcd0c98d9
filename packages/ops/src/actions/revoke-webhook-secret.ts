// Revokes a former webhook secret that may have leaked, before its seven days are over.

import type { Clock } from '../../../../src/domain/clock.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { auditOperator, type By } from '../../../../src/platform/security/audit-operator.ts';
import { lockWebhookSecret, setAcceptedUntil } from '../../../../src/platform/sql/webhook-secrets.ts';
import type { Config } from '../../../../src/start/config.ts';
import { nextStepOfRotation } from '../../../../src/webhooks/rotation.ts';
import { hashText } from '../../../../src/webhooks/secrets.ts';
import { type CommandCall, type CommandSpec, OpsFailure } from '../command.ts';
import { printResult } from '../output.ts';

export const webhookSecretRevokeCommand: CommandSpec = {
  name: 'webhook-secret revoke',
  summary: 'refuse a former secret now, before its seven days are over',
  argument: { name: 'secretId', form: 'uuid' },
  run,
};

async function run({ app, out, argument: id, operator, reason }: CommandCall): Promise<void> {
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

/**
 * The result of a revocation. `in_use`: the secret is current or pending. `configured`: this process is configured with it, and every
 * process accepts its configured secret even if it is revoked.
 */
type Revocation = 'revoked' | 'over_before' | 'unknown' | 'in_use' | 'configured';

/** Revokes a former secret. Every process refuses it within a second. */
function revokeWebhookSecret(
  { db, clock, config }: { db: Db; clock: Clock; config: Config },
  id: string,
  by: By,
): Promise<Revocation> {
  const now = clock.now();
  return inDbTransaction(db, async (tx): Promise<Revocation> => {
    const secret = await lockWebhookSecret(tx, { id });
    if (!secret) return 'unknown';
    if (secret.status !== 'former') return 'in_use';
    if (secret.hash === hashText(config.webhookSecret)) return 'configured';
    if (secret.acceptedUntil !== null && secret.acceptedUntil <= now) return 'over_before';
    await setAcceptedUntil(tx, { id, acceptedUntil: now });
    await auditOperator(tx, { ...by, action: 'webhook-secret revoke', target: id, userId: null, now });
    return 'revoked';
  });
}
