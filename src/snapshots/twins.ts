// Twins: a second object of the provider under one of our handles. The uuid that we follow is set once, nothing of another
// one is decided on, and while it is unresolved only a success of the followed one is applied.
import type { Db } from '../database/orm.ts';
import type { Entity } from '../entities/rows.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import type { ProviderEvent } from '../provider/events.ts';
import type { Found, Snapshot } from '../provider/port.ts';
import { findOpenTwin, findOpenTwinOfSubject } from '../sql/discrepancies.ts';
import { findAnyAccountResource } from '../sql/provider-resources.ts';
import { type NewDiscrepancy, recordDiscrepancy } from './discrepancies.ts';
import { said } from './snapshot-discrepancies.ts';

type FoundUnderHandle<One extends Snapshot> = { followed: One | null; others: One[] };

/** Which of the objects under a handle is followed: the first one, where the provider has named none to us before. */
export function followedOf<One extends Snapshot>(
  { providerRef: ref }: Pick<Entity<'ProviderResource'>, 'providerRef'>,
  found: Found<One>,
): FoundUnderHandle<One> {
  const objects = [found, ...(found.others ?? [])];
  const followed = objects.find(({ providerRef }) => ref === null || providerRef === ref) ?? null;
  return { followed, others: objects.filter((one) => one !== followed) };
}

/** Those that are not the one we follow. The owner of a user who has no account yet may become another one. */
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

export const recordTwin = (
  tx: Db,
  resource: Entity<'ProviderResource'>,
  snapshot: Snapshot,
  state: string,
  cause: Cause,
  now: Date,
): Promise<void> => recordDiscrepancy(tx, resource, twin(snapshot, state), cause, now);

/** A second object under the handle, as a discrepancy. */
export const twin = (snapshot: Snapshot, state: string): NewDiscrepancy => ({
  kind: 'twin',
  event: said(snapshot, 'twin'),
  state,
  providerRef: snapshot.providerRef,
  // In every state it is the same twin.
  fingerprint: snapshot.providerRef,
  snapshotAt: snapshot.updatedAt,
});

/** The object that was followed until an operator chose another one. @param resource as it was until then. */
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

/** Whether an operator has still to choose between objects under this handle. */
export const hasUnresolvedTwin = async (
  db: Db,
  { handle, userId }: Pick<Entity<'ProviderResource'>, 'handle' | 'userId'>,
): Promise<boolean> => (await findOpenTwin(db, { handle, userId })) !== undefined;

/** Whether an operator has still to choose between objects of this payment or withdrawal. */
export const subjectHasUnresolvedTwin = async (
  db: Db,
  { id, userId }: { id: string; userId: string },
): Promise<boolean> => (await findOpenTwinOfSubject(db, { subjectId: id, userId })) !== undefined;

/** What may be applied beside an unresolved twin: it undoes nothing, and is no reason to pay again. */
export const isSuccess = (event: ProviderEvent): boolean =>
  event.kind === 'kyc.updated'
    ? event.status === 'completed'
    : event.kind.endsWith('.completed') || event.kind === 'account.activated';
