// The operators' list of the webhook secrets.
import { prepared } from '../../database/prepared.ts';
import { isRotationUnfinished } from '../webhook-secrets.ts';

export const listWebhookSecrets = prepared.all((db) =>
  db
    .selectFrom('WebhookSecret')
    .select(['id', 'hash', 'status', 'createdAt', 'acceptedUntil', isRotationUnfinished.as('isUnfinished')])
    .orderBy('id', 'desc'),
);
