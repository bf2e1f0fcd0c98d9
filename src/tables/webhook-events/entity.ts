// A callback, stored once under its identity before it is acknowledged.
import { defineEntity } from '@mikro-orm/core';
import { enumOf, moment, sealed, work } from '../columns.ts';
import { exported, leftOut } from '../export-marks.ts';

export const webhookStatuses = ['received', 'applied', 'ignored', 'unmatched'] as const;

export const WebhookEvent = defineEntity({
  name: 'WebhookEvent',
  tableName: 'webhook_events',
  place: { column: 'id', group: 'callbacks' },
  uniques: [{ properties: ['provider', 'identity'] }],
  indexes: [
    {
      name: 'webhook_events_open',
      expression:
        "create index webhook_events_open on webhook_events (received_at) where status in ('received', 'unmatched')",
    },
    {
      name: 'webhook_events_due_at',
      expression:
        'create index webhook_events_due_at on webhook_events (due_at, id) where leased_by is null and due_at is not null',
    },
    {
      name: 'webhook_events_leased',
      expression:
        'create index webhook_events_leased on webhook_events (leased_by, due_at) where leased_by is not null and due_at is not null',
    },
    {
      name: 'webhook_events_failing',
      expression:
        'create index webhook_events_failing on webhook_events (id) where due_at is not null and attempts >= 5',
    },
    {
      name: 'webhook_events_processed',
      expression:
        'create index webhook_events_processed on webhook_events (processed_at) where processed_at is not null',
    },
    {
      // Few processed callbacks have a payload here: see src/jobs/retention/purge-payloads.ts.
      name: 'webhook_events_kept_payloads',
      expression:
        'create index webhook_events_kept_payloads on webhook_events (processed_at) where processed_at is not null and octet_length(payload_sealed) > 0',
    },
    {
      name: 'webhook_events_transaction',
      expression:
        'create index webhook_events_transaction on webhook_events (transaction_id) where transaction_id is not null',
    },
  ],
  checks: [{ name: 'webhook_events_due_check', expression: "(status = 'received') = (due_at is not null)" }],
  properties: {
    id: exported.uuid().primary(),
    provider: exported.text(),
    /** SHA-256 of `kind:providerRef:updatedAt`. */
    identity: leftOut('It is the hash of ids and times that are in the other sections.').blob(),
    eventType: exported.text(),
    /** The payload, until it moves to `WebhookPayload` or is removed. Then it is empty. */
    payloadSealed: sealed({ scope: 'receivedAt' }),
    status: enumOf('webhook_event_status', webhookStatuses).default('received'),
    /** Why the callback was ignored or could not be matched, for operators. */
    outcome: exported.text().nullable(),
    attempts: exported.integer().default(0),
    ...work(),
    /** The user whose turn the callback takes while it waits. Null if the user is not known, and after it is processed. */
    userId: exported.uuid().nullable(),
    /** The user's transaction that the callback belongs to, once it is known. */
    transactionId: exported.uuid().nullable(),
    receivedAt: moment(),
    processedAt: moment().nullable(),
  },
});
