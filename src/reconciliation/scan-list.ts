// Scans the provider's lists of payouts and transfers. Most of our rows are final and no longer polled, but a payout can
// be refunded days after it arrived. So each night's scan begins where everything is older than a month, and every
// object that has changed since its last snapshot is applied as any other snapshot.

import { count, keep } from '../batch/counters.ts';
import { forEach, type PagePosition, type PageResult, type StageContext } from '../batch/stage.ts';
import { byEntity } from '../database/by-entity.ts';
import type { Db } from '../database/orm.ts';
import { isCanonicalUuid } from '../domain/ids.ts';
import type { Entity } from '../entities/rows.ts';
import type { ListPage, PayoutDetails, TransferDetails } from '../provider/port.ts';
import { isNotFound, withRetries } from '../provider/with-retries.ts';
import { applyReported } from '../snapshots/apply-reported.ts';
import { type Applied, orderOf } from '../snapshots/ordering.ts';

export type List = 'payouts' | 'transfers';
type Listed = PayoutDetails | TransferDetails;

const PAGE_SIZE = 200;
/** Banks return a payment within days; nothing changes after so long. */
const TRAIL_MS = 30 * 24 * 60 * 60_000;

export async function scanList(
  context: StageContext,
  list: List,
  position: PagePosition,
): Promise<PageResult> {
  const { app, counters } = context;
  const from = position.after ?? (await cursorOf(app.db, list));
  const { items, next } = await pageAfter(context, list, from);
  const failed = await takeIn(context, list, items);
  count(counters, `${list} scanned`, items.length);

  const old = position.isSettled === false ? [] : leadingOld(context, items, failed);
  const isSettled = old.length === items.length && position.isSettled !== false;
  const settledTo = old.at(-1)?.snapshot.providerRef;
  return {
    next: next === null ? null : { after: next, isSettled },
    ...(settledTo !== undefined && { commit: (tx: Db) => moveCursor(context, tx, list, settledTo) }),
  };
}

/** A cursor that the provider does not know: then the scan begins at the beginning. */
async function pageAfter(
  { app: { provider }, signal }: StageContext,
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

/** @returns the provider's ids of those that could not be applied. */
async function takeIn(context: StageContext, list: List, items: Listed[]): Promise<Set<string>> {
  const { app, cause, counters } = context;
  const known = await knownOf(app.db, items);
  const failed = new Set<string>();
  const ofNobody = items.filter(({ snapshot }) => !known.has(handleOf(snapshot)));
  count(counters, `${list} without a row here`, ofNobody.length);
  keep(
    counters.orphans,
    ofNobody.map(({ snapshot: { kind, providerRef, handle } }) => ({ kind, providerRef, handle })),
  );
  const changed = items.filter(({ snapshot }) => {
    const ours = known.get(handleOf(snapshot));
    if (ours === undefined) return false;
    return ours.providerRef !== snapshot.providerRef || orderOf(ours, snapshot) !== 'same';
  });
  await forEach(
    context,
    list,
    changed,
    ({ snapshot }) => snapshot.providerRef,
    async ({ snapshot }) => {
      failed.add(snapshot.providerRef);
      const observed = await applyReported(app, snapshot, cause);
      if (observed === 'applied') count(counters, `${list} corrected`);
      if (observed === 'twin') count(counters, `${list} that are twins`);
      failed.delete(snapshot.providerRef);
    },
  );
  return failed;
}

type Known = Applied & Pick<Entity<'ProviderResource'>, 'providerRef'>;

/** The resources we follow, and the last snapshot applied of each, by handle. */
async function knownOf(db: Db, items: Listed[]): Promise<Map<string, Known>> {
  const handles = items.map(({ snapshot }) => handleOf(snapshot)).filter((handle) => isCanonicalUuid(handle));
  if (handles.length === 0) return new Map();
  const rows = await byEntity(db)
    .selectFrom('ProviderResource')
    .select([
      'handle',
      'providerRef',
      'snapshotUpdatedAt',
      'snapshotStatus',
      'snapshotAttempt',
      'snapshotContent',
    ])
    .where('handle', 'in', handles)
    .execute();
  return new Map(rows.map((row) => [row.handle, row]));
}

/** The position before the first object that may still change, or that could not be applied. */
function leadingOld({ app }: StageContext, items: Listed[], failed: Set<string>): Listed[] {
  const oldBefore = app.clock.now().getTime() - TRAIL_MS;
  const end = items.findIndex(
    ({ snapshot }) => snapshot.updatedAt.getTime() > oldBefore || failed.has(snapshot.providerRef),
  );
  return end === -1 ? items : items.slice(0, end);
}

async function cursorOf(db: Db, list: List): Promise<string | null> {
  const cursor = await db
    .selectFrom('provider_cursors')
    .select('after')
    .where('list', '=', list)
    .executeTakeFirst();
  return cursor?.after ?? null;
}

async function moveCursor({ app }: StageContext, tx: Db, list: List, after: string): Promise<void> {
  const moved = { after, updated_at: app.clock.now() };
  await tx
    .insertInto('provider_cursors')
    .values({ list, ...moved })
    .onConflict((conflict) => conflict.column('list').doUpdateSet(moved))
    .execute();
}

// A handle of another company may be any text; ours are uuids.
const handleOf = ({ handle }: { handle: string }): string => handle.toLowerCase();
