// Removes the payloads of each day that ended more than 90 days ago. Emptying the day's table takes as long for a million payloads as
// for one. New callbacks use the tables of other days, so they do not wait for it.

import type { DatabaseTime } from '../../platform/database/database-time.ts';
import { inDbTransaction, isLockRefused } from '../../platform/database/db-transaction.ts';
import { payloadsRemovedBefore } from '../../privacy/retention.ts';
import type { Db } from '../../tables/orm.ts';
import {
  deleteOldPayloadsPage,
  findLaterPayload,
  findOldSlot,
  keepNeededPayloads,
  lockSlot,
  OLD_PAYLOADS_PAGE,
  truncateSlot,
} from '../../tables/webhook-payloads/statements.ts';
import { count } from '../counters.ts';
import type { PageResult, StageContext } from '../stage.ts';

/**
 * The longest wait for sessions that use the table, for example a backup. Other readers of the table wait as long. So do callbacks if
 * it is the table of today, because no night ran for ten days. PostgreSQL ends an automatic vacuum for a session that has waited for
 * one second (`deadlock_timeout`).
 */
const LOCK_WITHIN_MS = 2_000;

type OldPayloads = { slot: number; before: DatabaseTime };

/** Removes the old payloads of one table. The next page continues with another table. */
export async function emptyPayloadTables({ db, now, counters, signal }: StageContext): Promise<PageResult> {
  const before = payloadsRemovedBefore(now);
  const found = await findOldSlot(db, { before });
  if (!found) return { next: null };
  const old = { slot: found.slot, before };
  const emptied = await emptyTable(db, old);
  if (emptied) count(counters, 'payload days removed');
  count(counters, 'payloads kept for now', emptied?.kept ?? (await keepNeededPayloads(db, old)));
  if (!emptied) count(counters, 'payloads removed', await deleteByRow(db, old, signal));
  return { next: { after: String(found.slot) } };
}

/**
 * Empties a table. Payloads that are still needed are moved to their callbacks before.
 * @returns null, and nothing is changed, if another session uses the table, or if it also has payloads of a later day.
 */
async function emptyTable(db: Db, old: OldPayloads): Promise<{ kept: number } | null> {
  try {
    return await inDbTransaction(
      db,
      async (tx) => {
        await lockSlot(tx, old.slot);
        if (await findLaterPayload(tx, old)) return null;
        const kept = await keepNeededPayloads(tx, old);
        await truncateSlot(tx, old.slot);
        return { kept };
      },
      { lockMs: LOCK_WITHIN_MS },
    );
  } catch (error) {
    if (isLockRefused(error)) return null;
    throw error;
  }
}

/** Deletes the old payloads of a table in pages. Returns how many there were. */
async function deleteByRow(db: Db, old: OldPayloads, signal: AbortSignal | undefined): Promise<number> {
  let deleted = 0;
  for (;;) {
    signal?.throwIfAborted();
    const page = await deleteOldPayloadsPage(db, old);
    deleted += page;
    if (page < OLD_PAYLOADS_PAGE) return deleted;
  }
}
