// The payload of a processed callback, in the table of the day on which it was received. A hundred tables take turns: the table of a
// day is used again a hundred days later, and retention empties it before. So the schema never changes, and every day has a table.
import { defineEntity } from '@mikro-orm/core';
import { moment, sealed } from '../columns.ts';
import { exported, ours } from '../export-marks.ts';

/** The number of tables. It must exceed the days for which a payload is kept. */
export const PAYLOAD_TABLES = 100;

/** The table of each slot. */
export const payloadTables: readonly string[] = Array.from(
  { length: PAYLOAD_TABLES },
  (_, slot) => `webhook_payloads_${String(slot).padStart(2, '0')}`,
);

export const WebhookPayload = defineEntity({
  name: 'WebhookPayload',
  tableName: 'webhook_payloads',
  place: { column: 'event_id', group: 'callbacks' },
  // The migrations divide the table by `slot`: MikroORM's snapshot of the schema cannot hold a `partitionBy`.
  properties: {
    receivedAt: moment().primary(),
    eventId: exported.uuid().primary(),
    /** The number of the day of `received_at` (in UTC, since 1970), modulo the number of tables. */
    slot: ours.integer().primary(),
    payloadSealed: sealed({ scope: 'receivedAt', row: 'eventId' }, 'webhook_events.payload_sealed'),
  },
});
