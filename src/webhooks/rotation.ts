// Whether a rotation of the webhook secret is complete: only when, after the new one was configured, what had been
// ordered meanwhile was moved as well. Until then an operator has a step left, and it is reported.
import { type RawBuilder, sql } from 'kysely';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';

/** The job name of its runs, each under the id of its secret. */
export const ROTATION_JOB = 'webhook-secret';

/** The condition for a row of `webhook_secrets` whose rotation is incomplete. */
export const isUnfinished: RawBuilder<boolean> = sql<boolean>`(
  webhook_secrets.status = 'pending'
  or webhook_secrets.status = 'current' and exists (
    select from job_runs run
    where run.job = ${ROTATION_JOB} and run.run = webhook_secrets.id::text and run.finished_at is null
  )
)`;

const stillToDo = {
  pending: 'configure the new secret, restart, and make the call of webhook-secret rotate once more',
  current: 'make the call of webhook-secret rotate once more: what was ordered meanwhile is to be moved',
};

/** @returns the operator's next step; null where no rotation is incomplete. */
export async function nextStepOfRotation(db: Db): Promise<string | null> {
  const secret = await db
    .selectFrom('webhook_secrets')
    .select('status')
    .where(isUnfinished)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
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

/** No callback uses another secret any more. */
export async function endRotation(db: Db, secretId: string, now: Date): Promise<void> {
  await db
    .updateTable('job_runs')
    .set({ finished_at: now })
    .where('job', '=', ROTATION_JOB)
    .where('run', '=', secretId)
    .execute();
}
