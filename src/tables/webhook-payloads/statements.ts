// The payloads of processed callbacks. The statements that close, store and replay callbacks are in webhook-events/statements.ts.

import { type RawBuilder, sql } from 'kysely';
import type { DatabaseTime } from '../../platform/database/database-time.ts';
import type { Db } from '../orm.ts';
import { prepared } from '../prepared.ts';
import { unresolvedTransactions } from '../unfinished.ts';
import { PAYLOAD_TABLES, payloadTables } from './entity.ts';

/** Returns the slot of the day on which a callback was received. @param receivedAt a `timestamptz`. */
export const slotOf = (receivedAt: RawBuilder<unknown>): RawBuilder<number> =>
  sql`floor(extract(epoch from ${receivedAt} at time zone 'UTC') / 86400)::int % ${sql.lit(PAYLOAD_TABLES)}`;

/** @param before the beginning of a day, in UTC. */
type OldPayloads = { slot: number; before: DatabaseTime };

/** Finds the slot of the oldest payload from before a day. */
export const findOldSlot = prepared.first(
  (_db, { before }: { before: DatabaseTime }) => sql<{ slot: number }>`
    select slot from webhook_payloads where received_at < ${before} order by received_at limit 1`,
);

/** Returns a row if a slot also has payloads of a later day, because it was not emptied for a hundred days. */
export const findLaterPayload = prepared.first(
  (_db, { slot, before }: OldPayloads) => sql<{ eventId: string }>`
    select event_id from webhook_payloads where slot = ${slot}::int and received_at >= ${before} limit 1`,
);

/** Moves the payloads whose transaction is unresolved back to their callbacks, where they are kept for longer. */
export const keepNeededPayloads = prepared.count(
  (_db, { slot, before }: OldPayloads) => sql`
    with needed as materialized (
      select event.id, event.received_at
      from ${unresolvedTransactions} as transaction
      join webhook_events as event on event.transaction_id = transaction.id
      where event.received_at < ${before} and ${slotOf(sql`event.received_at`)} = ${slot}::int
    ), taken as (
      delete from webhook_payloads as payload using needed
      where payload.slot = ${slot}::int
        and payload.received_at = needed.received_at and payload.event_id = needed.id
      returning payload.event_id, payload.payload_sealed
    )
    update webhook_events set payload_sealed = taken.payload_sealed from taken where id = taken.event_id`,
);

/** Locks the table of a slot against every other session, until the database transaction ends. */
export const lockSlot = async (tx: Db, slot: number): Promise<void> => {
  await sql`lock table ${tableOf(slot)} in access exclusive mode`.execute(tx);
};

/** Deletes every payload of a slot, at the cost of a few files. */
export const truncateSlot = async (tx: Db, slot: number): Promise<void> => {
  await sql`truncate ${tableOf(slot)}`.execute(tx);
};

const tableOf = (slot: number): RawBuilder<unknown> => sql.table(payloadTables[slot] ?? '');

/** The page size. It is a literal in the statement for the query planner. */
export const OLD_PAYLOADS_PAGE = 5_000;

export const deleteOldPayloadsPage = prepared.count(
  (_db, { slot, before }: OldPayloads) => sql`
    delete from webhook_payloads
    where slot = ${slot}::int and (received_at, event_id) in (
      select received_at, event_id from webhook_payloads
      where slot = ${slot}::int and received_at < ${before}
      order by received_at limit ${sql.lit(OLD_PAYLOADS_PAGE)}
    )`,
);
