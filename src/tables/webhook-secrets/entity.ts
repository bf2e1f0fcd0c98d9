// The secrets in the paths of callbacks, as hashes. Every process accepts them in addition to the one in its configuration.
import { defineEntity, p } from '@mikro-orm/core';
import { enumOf, moment } from '../columns.ts';

const webhookSecretStatuses = ['pending', 'current', 'former'] as const;

export const WebhookSecret = defineEntity({
  name: 'WebhookSecret',
  tableName: 'webhook_secrets',
  place: 'coordinator',
  properties: {
    id: p.uuid().primary(),
    /** SHA-256 of the secret, in hex. */
    hash: p.string().length(64).unique(),
    /** `pending`: callbacks are being moved to this secret. `current`: a process has started with it. */
    status: enumOf('webhook_secret_status', webhookSecretStatuses),
    createdAt: moment(),
    /** When the secret stops being accepted; null if it has no end. */
    acceptedUntil: moment().nullable(),
  },
});
