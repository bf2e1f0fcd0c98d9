// A twin is a second object of the provider under one of our handles. We follow the first object that the provider named and decide
// nothing by another one. While a twin is unresolved, only a success of the followed object is applied.

import type { ProviderEvent } from '../provider/events.ts';
import type { LookupResult, Snapshot } from '../provider/port.ts';
import { findOpenDiscrepancy, findOpenTwin } from '../tables/discrepancies/statements.ts';
import type { Db } from '../tables/orm.ts';
import { findAnyAccountResource } from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { describeSnapshot, type NewDiscrepancy, recordDiscrepancy } from './discrepancies.ts';

type FoundUnderHandle<One extends Snapshot> = { followed: One | null; others: One[] };

/** Splits the objects under a handle into the one we follow and the others. If none is followed yet, the first one is. */
export function followedOf<One extends Snapshot>(
  { providerRef: ref }: Pick<Entity<'ProviderResource'>, 'providerRef'>,
  found: LookupResult<One>,
): FoundUnderHandle<One> {
  const objects = [found, ...(found.others ?? [])];
  const followed = objects.find(({ providerRef }) => ref === null || providerRef === ref) ?? null;
  return { followed, others: objects.filter((one) => one !== followed) };
}

/** Returns the objects that are twins. While a user has no account, the provider may replace the owner: that is not a twin. */
export async function twinsAmong(
  tx: Db,
  resource: Entity<'ProviderResource'>,
  objects: Snapshot[],
): Promise<Snapshot[]> {
  const ref = resource.providerRef ?? objects[0]?.providerRef;
  const strangers = objects.filter(({ providerRef }) => providerRef !== ref);
  if (strangers.length === 0) return [];
  if (resource.kind !== 'owner') return strangers;
  const account = await findAnyAccountResource(tx, { userId: resource.userId });
  return account === undefined ? [] : strangers;
}

/** The discrepancy of a second object under a handle. */
export const twin = (snapshot: Snapshot, state: string): NewDiscrepancy => ({
  kind: 'twin',
  event: describeSnapshot(snapshot, 'twin'),
  state,
  providerRef: snapshot.providerRef,
  // The fingerprint has no state, because it is the same twin in every state.
  fingerprint: snapshot.providerRef,
  snapshotAt: snapshot.updatedAt,
});

/**
 * Records the formerly followed object as a twin after an operator has chosen another one.
 * @param resource the row as it was before the choice.
 */
export async function recordFormer(
  tx: Db,
  resource: Entity<'ProviderResource'>,
  state: string,
  cause: Cause,
  now: Date,
): Promise<void> {
  const { providerRef, snapshotUpdatedAt: at, snapshotStatus: status } = resource;
  if (providerRef === null) return;
  const event = { type: 'twin', ...(status && { status }) };
  const former = { event, state, providerRef, fingerprint: providerRef, snapshotAt: at ?? now };
  await recordDiscrepancy(tx, resource, { kind: 'twin', ...former }, cause, now);
}

/** Whether an operator still has to choose between objects under this handle. */
export const hasUnresolvedTwin = async (
  db: Db,
  { handle, userId }: Pick<Entity<'ProviderResource'>, 'handle' | 'userId'>,
): Promise<boolean> => (await findOpenTwin(db, { handle, userId })) !== undefined;

/** Whether an operator still has to choose between objects of this payment or withdrawal. */
export const subjectHasUnresolvedTwin = async (
  db: Db,
  { id, userId }: { id: string; userId: string },
): Promise<boolean> =>
  (await findOpenDiscrepancy(db, { subjectId: id, userId, kinds: ['twin'] })) !== undefined;

/** Whether an event may be applied while a twin is unresolved. A success undoes nothing and gives no reason to pay again. */
export const isSuccess = (event: ProviderEvent): boolean =>
  event.kind === 'kyc.updated'
    ? event.status === 'completed'
    : event.kind.endsWith('.completed') || event.kind === 'account.activated';
