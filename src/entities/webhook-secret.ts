// The secrets in the paths of callbacks, as hashes: what every process accepts beside the one it is configured with.
import { defineEntity, p } from '@mikro-orm/core';
import { enumOf, moment } from './columns.ts';

const webhookSecretStatuses = ['pending', 'current', 'former'] as const;

export const WebhookSecret = defineEntity({
  name: 'WebhookSecret',
  tableName: 'webhook_secrets',
  properties: {
    id: p.uuid().primary(),
    /** SHA-256 of the secret, in hex. */
    hash: p.string().length(64).unique(),
    /** Pending: callbacks are being moved to it. Current: a process has been started with it. */
    status: enumOf('webhook_secret_status', webhookSecretStatuses),
    createdAt: moment(),
    /** Null while it is accepted without an end. */
    acceptedUntil: moment().nullable(),
  },
});
