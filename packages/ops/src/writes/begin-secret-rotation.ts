// Starts the rotation of the webhook secret: stores the hash of the new secret, which every process then accepts in addition to its
// configured one.

import type { Clock } from '../../../../src/domain/clock.ts';
import { newId } from '../../../../src/domain/ids.ts';
import { auditOperator, type By } from '../../../../src/platform/audit/operator.ts';
import type { Config } from '../../../../src/platform/config/config.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import {
  insertWebhookSecret,
  keepWebhookSecret,
  lockWebhookSecrets,
  retirePendingSecret,
} from '../../../../src/platform/sql/webhook-secrets.ts';
import { hashText } from '../../../../src/webhooks/secrets.ts';

export type Rotation =
  /** Callbacks can be moved to the secret: every process accepts it within a second. `current` if a process is configured with it. */
  | { outcome: 'begun' | 'goes_on' | 'current'; id: string }
  | { outcome: 'other_under_way'; begunAt: Date }
  | { outcome: 'used_before' };

/**
 * Starts or continues a rotation.
 * @param secret the new secret. A further call with the same secret continues its rotation.
 * @param options `forceNew` gives up an unfinished rotation to another secret. Callbacks already moved to that secret stay accepted.
 */
export function beginSecretRotation(
  { db, clock, config }: { db: Db; clock: Clock; config: Config },
  secret: string,
  by: By,
  { forceNew = false }: { forceNew?: boolean } = {},
): Promise<Rotation> {
  const now = clock.now();
  return inDbTransaction(db, async (tx): Promise<Rotation> => {
    // Before the first rotation the configured secret has no row, so it is inserted. A concurrent rotation waits here.
    const configured = { id: newId(), hash: hashText(config.webhookSecret), status: 'current' } as const;
    await keepWebhookSecret(tx, { ...configured, createdAt: now, acceptedUntil: null });
    const known = await lockWebhookSecrets(tx, {});
    const ours = known.find(({ hash }) => hash === hashText(secret));
    if (ours?.status === 'former') return { outcome: 'used_before' };
    if (ours) return { outcome: ours.status === 'current' ? 'current' : 'goes_on', id: ours.id };

    const pending = known.find(({ status }) => status === 'pending');
    if (pending && !forceNew) return { outcome: 'other_under_way', begunAt: pending.createdAt };
    await retirePendingSecret(tx, {});
    const id = newId();
    await insertWebhookSecret(tx, {
      id,
      hash: hashText(secret),
      status: 'pending',
      createdAt: now,
      acceptedUntil: null,
    });
    await auditOperator(tx, { ...by, action: 'webhook-secret rotate', target: id, userId: null, now });
    return { outcome: 'begun', id };
  });
}
