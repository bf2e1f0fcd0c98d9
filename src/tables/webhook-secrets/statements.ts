// The secrets in the paths of callbacks, as hashes.

import { type RawBuilder, sql } from 'kysely';
import { equals, everyProperty, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';

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

export const findUnfinishedRotation = prepared.first((db) =>
  db
    .selectFrom('WebhookSecret')
    .select('status')
    .where(isRotationUnfinished)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
);

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
    .where(equals({ hash, status: 'pending' })),
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

type WebhookSecret = Entity<'WebhookSecret'>;

export const lockWebhookSecrets = prepared.all((db) =>
  db.selectFrom('WebhookSecret').selectAll().forUpdate(),
);

export const lockWebhookSecret = prepared.first((db, { id }: { id: string }) =>
  db.selectFrom('WebhookSecret').selectAll().where('id', '=', id).forUpdate(),
);

export const insertWebhookSecret = prepared.count((db, secret: WebhookSecret) =>
  db.insertInto('WebhookSecret').values(everyProperty('WebhookSecret', secret)),
);

/** Inserts the secret, or locks the row that has its hash. A concurrent statement with the same hash waits. */
export const keepWebhookSecret = prepared.count((db, secret: WebhookSecret) =>
  db
    .insertInto('WebhookSecret')
    .values(everyProperty('WebhookSecret', secret))
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ hash: secret.hash })),
);

export const retirePendingSecret = prepared.count((db) =>
  db.updateTable('WebhookSecret').set({ status: 'former' }).where('status', '=', 'pending'),
);

/** Ends the time until which a former secret is accepted. */
export const setAcceptedUntil = prepared.count(
  (db, { id, acceptedUntil }: { id: string; acceptedUntil: Date }) =>
    db.updateTable('WebhookSecret').set({ acceptedUntil }).where('id', '=', id),
);
