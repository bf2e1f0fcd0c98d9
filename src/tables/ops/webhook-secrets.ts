// The operators' list of the webhook secrets.
import { prepared } from '../prepared.ts';
import { isRotationUnfinished } from '../webhook-secrets/statements.ts';

export const listWebhookSecrets = prepared.all((db) =>
  db
    .selectFrom('WebhookSecret')
    .select(['id', 'hash', 'status', 'createdAt', 'acceptedUntil', isRotationUnfinished.as('isUnfinished')])
    .orderBy('id', 'desc'),
);
