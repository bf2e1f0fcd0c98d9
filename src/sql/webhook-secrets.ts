// The secrets in the paths of callbacks, as hashes.
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../database/prepared.ts';

/** The job name of the runs of rotations, each under the id of its secret. */
export const ROTATION_JOB = 'webhook-secret';

/** The condition for a row of `webhook_secrets` whose rotation is incomplete. */
export const isRotationUnfinished: RawBuilder<boolean> = sql<boolean>`(
  webhook_secrets.status = 'pending'
  or webhook_secrets.status = 'current' and exists (
    select from job_runs run
    where run.job = ${sql.lit(ROTATION_JOB)} and run.run = webhook_secrets.id::text and run.finished_at is null
  )
)`;

/** Finds the status of the newest secret whose rotation is incomplete. */
export const findUnfinishedRotation = prepared.first((db) =>
  db
    .selectFrom('WebhookSecret')
    .select('status')
    .where(isRotationUnfinished)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
);

/** Lists the hashes of the secrets that are accepted now. */
export const listAcceptedHashes = prepared.all((db, { now }: { now: Date }) =>
  db
    .selectFrom('WebhookSecret')
    .select('hash')
    .where((is) => is.or([is('acceptedUntil', 'is', null), is('acceptedUntil', '>', now)])),
);

/** Makes the secret that a rotation prepared the current one. Returns 0 if it is not pending. */
export const makeSecretCurrent = prepared.count((db, { hash }: { hash: string }) =>
  db
    .updateTable('WebhookSecret')
    .set({ status: 'current', acceptedUntil: null })
    .where('hash', '=', hash)
    .where('status', '=', 'pending'),
);

/** Ends the time for which all other secrets are accepted without an end. */
export const retireOtherSecrets = prepared.count(
  (db, { hash, acceptedUntil }: { hash: string; acceptedUntil: Date }) =>
    db
      .updateTable('WebhookSecret')
      .set({ status: 'former', acceptedUntil })
      .where('hash', '<>', hash)
      .where('acceptedUntil', 'is', null),
);
