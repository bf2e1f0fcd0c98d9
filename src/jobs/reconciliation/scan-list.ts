// Scans the provider's lists of payouts and transfers. Most of our rows are final and no longer polled, but a payout can be refunded
// days after it arrived. So each night's scan starts behind the objects that have not changed for a month, and applies every object
// that has changed since its last applied snapshot.

import { NO_LANDMARK, passLandmark } from '../../provider/landmark.ts';
import type { ListPage } from '../../provider/port.ts';
import { isNotFound, withRetries } from '../../provider/with-retries.ts';
import { endInCircle, recordUnreadable, resolveCircle } from '../../reports/list-findings.ts';
import { listOpenFindings } from '../../tables/list-findings/statements.ts';
import type { Db } from '../../tables/orm.ts';
import { findCursor, moveCursor } from '../../tables/provider-cursors/statements.ts';
import { count } from '../counters.ts';
import type { PagePosition, PageResult, StageContext } from '../stage.ts';
import { applyListed, type List, type Listed } from './apply-listed.ts';

const PAGE_SIZE = 200;
/** Objects that have not changed for this long are not scanned again: banks return payments within days. */
const TRAIL_MS = 30 * 24 * 60 * 60_000;

/**
 * Scans one page of a list. The stored cursor advances past the leading objects that are old and were applied.
 * @throws OutcomeUnknown if the page cannot be fetched, or has nothing new although the list continues. The stage then ends.
 */
export async function scanList(
  context: StageContext,
  list: List,
  position: PagePosition,
): Promise<PageResult> {
  const { db, now, counters } = context;
  const from = position.after ?? (await findCursor(db, { list }))?.after ?? null;
  const page = await pageAfter(context, list, from);
  const scanned = { list, accountRef: null };
  const landmark =
    passLandmark(position.landmark ?? NO_LANDMARK, page) ?? (await endInCircle(context, scanned));
  const open = await listOpenFindings(db, scanned);
  const unreadable = await recordUnreadable(context, scanned, { from, page, open });
  const failed = await applyListed(context, list, page.items);
  count(counters, `${list} scanned`, page.items.length);
  count(counters, 'objects unreadable', unreadable.open);

  const before = page.items.slice(0, unreadable.gap ?? undefined);
  const old = position.isSettled === false ? [] : leadingOld(context, before, failed);
  const isSettled =
    old.length === page.items.length && unreadable.gap === null && position.isSettled !== false;
  const settledTo = old.at(-1)?.snapshot.providerRef;
  if (page.next === null) await resolveCircle(context, open);
  return {
    next: page.next === null ? null : { after: page.next, isSettled, landmark },
    ...(settledTo !== undefined && {
      commit: async (tx: Db) => {
        await moveCursor(tx, { list, after: settledTo, now });
      },
    }),
  };
}

/** Fetches a page. If the provider does not know the cursor, the scan starts at the beginning of the list. */
async function pageAfter(
  { provider, signal }: StageContext,
  list: List,
  after: string | null,
): Promise<ListPage<Listed>> {
  const page = (from: string | null) =>
    withRetries<ListPage<Listed>>(() => {
      const request = { after: from, limit: PAGE_SIZE };
      return list === 'payouts' ? provider.listPayouts(request) : provider.listTransfers(request);
    }, signal);
  try {
    return await page(after);
  } catch (error) {
    if (after === null || !isNotFound(error)) throw error;
    return page(null);
  }
}

/** Returns the leading objects that are too old to change and were applied. It ends at the first other object. */
function leadingOld({ now }: StageContext, items: Listed[], failed: Set<string>): Listed[] {
  const oldBefore = now.plus(-TRAIL_MS);
  const end = items.findIndex(
    ({ snapshot }) => oldBefore.isBefore(snapshot.updatedAt) || failed.has(snapshot.providerRef),
  );
  return end === -1 ? items : items.slice(0, end);
}
