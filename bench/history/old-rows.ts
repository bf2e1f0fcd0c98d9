// Rows that the nightly purge removes. They are the same number with and without history, so that the durations can be compared.
import { query } from '../../harness/database/query.ts';
import { PAYLOAD_TABLES } from '../../src/tables/webhook-payloads/entity.ts';

/** Old effects, old callbacks, and old payloads: this many of each. */
export const OLD_ROWS = 20_000;

const numbers = `generate_series(1, ${OLD_ROWS}) as number`;

export async function insertOldRows(databaseUrl: string): Promise<void> {
  // Ids of effects are in the order of their creation. The ids of these effects are before all others.
  await query(
    databaseUrl,
    `insert into effects (id, user_id, subject_kind, subject_id, seq, type, params, status, created_at, finished_at)
     select lpad(number::text, 32, '0')::uuid, gen_random_uuid(), 'bank_details', gen_random_uuid(), 1,
       'validateBankDetails', '{}', 'done', now() - interval '100 days', now() - interval '100 days'
     from ${numbers}`,
  );
  await query(
    databaseUrl,
    `insert into webhook_events
       (id, provider, identity, event_type, payload_sealed, status, attempts, received_at, processed_at)
     select gen_random_uuid(), 'sandbox', sha256(random()::text::bytea), 'card.frozen', '', 'ignored', 1,
       now() - interval '7 years' + number * interval '1 second', now() - interval '7 years' + number * interval '1 second'
     from ${numbers}`,
  );
  await query(
    databaseUrl,
    `insert into webhook_payloads (received_at, event_id, slot, payload_sealed)
     select at, gen_random_uuid(), floor(extract(epoch from at) / 86400)::int % ${PAYLOAD_TABLES},
       decode(repeat('ab', 700), 'hex')
     from ${numbers}, lateral (select now() - interval '95 days' + number * interval '1 second' as at) as received`,
  );
}
