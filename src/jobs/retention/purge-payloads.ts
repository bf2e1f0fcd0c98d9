// Removes payloads that are still with their callbacks, more than 90 days after processing. These are the payloads that were kept for
// an unresolved transaction, those of callbacks that were processed on a later day than received, and those that version 0.3.0 left.
// A callback's identity and outcome stay, so that it is not stored again.

import { countEach, skippingLocked } from '../../platform/database/skip-locked.ts';
import { payloadsRemovedUpTo } from '../../privacy/retention.ts';
import { listUnresolved } from '../../tables/unfinished.ts';
import {
  listKeptPayloads,
  PAYLOADS_PAGE_SIZE,
  removePayloads,
} from '../../tables/webhook-events/statements.ts';
import { count } from '../counters.ts';
import {
  nextAfter,
  type PagePosition,
  type PageResult,
  placeOf,
  readPlace,
  type StageContext,
} from '../stage.ts';

export async function purgePayloads(
  { db, now, counters }: StageContext,
  { after }: PagePosition,
): Promise<PageResult> {
  const until = payloadsRemovedUpTo(now);
  const { time: afterProcessedAt, id: afterId } = readPlace(after);
  const rows = await listKeptPayloads(db, { until, afterProcessedAt, afterId });
  const transactions = rows.flatMap(({ transactionId }) => transactionId ?? []);
  const unresolved = new Set((await listUnresolved(db, { ids: transactions })).map(({ id }) => id));
  const ids = rows
    .filter(({ transactionId }) => transactionId === null || !unresolved.has(transactionId))
    .map(({ id }) => id);
  const removed =
    ids.length === 0
      ? 0
      : await skippingLocked(db, (tx, writing) =>
          writing === 'together'
            ? removePayloads.together(tx, { ids, until })
            : countEach(ids, (id) => removePayloads.each(tx, { id, until })),
        );
  count(counters, 'payloads removed', removed);
  count(counters, 'payloads kept for now', rows.length - removed);
  return { next: nextAfter(rows, PAYLOADS_PAGE_SIZE, ({ id, processedAt }) => placeOf(processedAt, id)) };
}
