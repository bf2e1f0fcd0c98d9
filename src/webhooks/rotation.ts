// Whether a rotation of the webhook secret is complete: only when, after the new one was configured, what had been
// ordered meanwhile was moved as well. Until then an operator has a step left, and it is reported.
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { findUnfinishedRotation } from '../sql/webhook-secrets.ts';

const stillToDo = {
  pending: 'configure the new secret, restart, and make the call of webhook-secret rotate once more',
  current: 'make the call of webhook-secret rotate once more: what was ordered meanwhile is to be moved',
};

/** @returns the operator's next step; null where no rotation is incomplete. */
export async function nextStepOfRotation(db: Db): Promise<string | null> {
  const secret = await findUnfinishedRotation(db, {});
  return secret ? stillToDo[secret.status === 'pending' ? 'pending' : 'current'] : null;
}

/** Logged at every start while a rotation is incomplete. */
export async function warnOfRotation({ db, log }: Pick<App, 'db' | 'log'>): Promise<void> {
  const next = await nextStepOfRotation(db);
  if (next !== null)
    log.warn(
      { code: 'webhook_secret.rotation_unfinished', next },
      'the rotation of the webhook secret is not finished',
    );
}
