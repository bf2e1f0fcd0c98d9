// Reports a rotation of the webhook secret that is not complete. It is complete when the new secret is configured and the resources
// that were created meanwhile have been moved to it. Until then an operator has a step left.

import type { Log } from '../domain/log.ts';
import type { Db } from '../tables/orm.ts';
import { findUnfinishedRotation } from '../tables/webhook-secrets/statements.ts';

const stillToDo = {
  pending: 'configure the new secret, restart, and make the call of webhook-secret rotate once more',
  current: 'make the call of webhook-secret rotate once more: what was ordered meanwhile is to be moved',
};

/** Returns the operator's next step, or null if no rotation is incomplete. */
export async function nextStepOfRotation(db: Db): Promise<string | null> {
  const secret = await findUnfinishedRotation(db, {});
  return secret ? stillToDo[secret.status === 'pending' ? 'pending' : 'current'] : null;
}

/** Logs a warning at every start while a rotation is incomplete. */
export async function warnOfRotation({ db, log }: { db: Db; log: Log }): Promise<void> {
  const next = await nextStepOfRotation(db);
  if (next !== null)
    log.warn(
      { code: 'webhook_secret.rotation_unfinished', next },
      'the rotation of the webhook secret is not finished',
    );
}
