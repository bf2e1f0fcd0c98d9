// Applies the objects of the provider's lists that have changed since their last applied snapshot.

import { isCanonicalUuid } from '../../domain/ids.ts';
import type { PayoutDetails, TransferDetails } from '../../provider/port.ts';
import { applyReported } from '../../reports/apply-reported.ts';
import { type Applied, recencyOf } from '../../reports/recency.ts';
import type { Db } from '../../tables/orm.ts';
import { listAppliedSnapshots } from '../../tables/provider-resources/statements.ts';
import type { Entity } from '../../tables/rows.ts';
import { count, keep } from '../counters.ts';
import { forEach, type StageContext } from '../stage.ts';
import { recordNotOrdered } from './record-not-ordered.ts';

export type List = 'payouts' | 'transfers';
export type Listed = PayoutDetails | TransferDetails;

/**
 * Applies the changed objects of a page. Objects without a row here are counted, and recorded as discrepancies if a user's account
 * paid for them.
 * @returns the provider's ids of the objects that could not be applied.
 */
export async function applyListed(context: StageContext, list: List, items: Listed[]): Promise<Set<string>> {
  const { db, cause, counters } = context;
  const resources = await resourcesOf(db, items);
  const failed = new Set<string>();
  const ofNobody = items.filter(({ snapshot }) => !resources.has(handleOf(snapshot)));
  count(counters, `${list} without a row here`, ofNobody.length);
  keep(
    counters.orphans,
    ofNobody.map(({ snapshot: { kind, providerRef, handle } }) => ({ kind, providerRef, handle })),
  );
  await recordNotOrdered(context, ofNobody, cause);
  const changed = items.filter(({ snapshot }) => {
    const ours = resources.get(handleOf(snapshot));
    if (ours === undefined) return false;
    return ours.providerRef !== snapshot.providerRef || recencyOf(ours, snapshot) !== 'same';
  });
  await forEach(context, list, changed, async ({ snapshot }) => {
    failed.add(snapshot.providerRef);
    const observed = await applyReported(context, snapshot, cause);
    if (observed === 'applied') count(counters, `${list} corrected`);
    if (observed === 'twin') count(counters, `${list} that are twins`);
    failed.delete(snapshot.providerRef);
  });
  return failed;
}

type TrackedResource = Applied & Pick<Entity<'ProviderResource'>, 'providerRef'>;

/** Returns our resources with their last applied snapshots, by handle. */
async function resourcesOf(db: Db, items: Listed[]): Promise<Map<string, TrackedResource>> {
  const handles = items.map(({ snapshot }) => handleOf(snapshot)).filter((handle) => isCanonicalUuid(handle));
  if (handles.length === 0) return new Map();
  const rows = await listAppliedSnapshots(db, { handles });
  return new Map(rows.map((row) => [row.handle, row]));
}

// Our handles are lower-case uuids. Another company's handle may be any text.
const handleOf = ({ handle }: { handle: string }): string => handle.toLowerCase();
