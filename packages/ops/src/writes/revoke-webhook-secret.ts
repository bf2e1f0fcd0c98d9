// Revokes a former webhook secret that may have leaked, before its seven days are over.

import type { Clock } from '../../../../src/domain/clock.ts';
import { auditOperator, type By } from '../../../../src/platform/audit/operator.ts';
import type { Config } from '../../../../src/platform/config/config.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { lockWebhookSecret, setAcceptedUntil } from '../../../../src/platform/sql/webhook-secrets.ts';
import { hashText } from '../../../../src/webhooks/secrets.ts';

/**
 * The result of a revocation. `in_use`: the secret is current or pending. `configured`: this process is configured with it, and every
 * process accepts its configured secret even if it is revoked.
 */
export type Revocation = 'revoked' | 'over_before' | 'unknown' | 'in_use' | 'configured';

/** Revokes a former secret. Every process refuses it within a second. */
export function revokeWebhookSecret(
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
