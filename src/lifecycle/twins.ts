// Twins: a second object of the provider under one of our handles. The uuid that we follow is set once, nothing of another
// one is decided on, and while it is unresolved only a success of the followed one is applied.
import type { Db } from '../database/orm.ts';
import type { ProviderResourceRow } from '../entities/rows.ts';
import type { ProviderEvent } from '../provider/events.ts';
import type { Found, Snapshot } from '../provider/port.ts';
import { type NewDiscrepancy, recordDiscrepancy } from './discrepancies.ts';
import type { Cause } from './lifecycle.ts';
import { said } from './snapshot-discrepancies.ts';

type Seen<One extends Snapshot> = { followed: One | null; others: One[] };

/** Which of the objects that were seen under a handle is followed. The first one, where none was named to us before. */
export function followedOf<One extends Snapshot>(
  { provider_ref: ref }: Pick<ProviderResourceRow, 'provider_ref'>,
  found: Found<One>,
): Seen<One> {
  const objects = [found, ...(found.others ?? [])];
  const followed = objects.find(({ providerRef }) => ref === null || providerRef === ref) ?? null;
  return { followed, others: objects.filter((one) => one !== followed) };
}

/** Those that are not the one we follow. The owner of somebody who has no account yet may become another one. */
export async function twinsAmong(
  tx: Db,
  resource: ProviderResourceRow,
  objects: Snapshot[],
): Promise<Snapshot[]> {
  const ref = resource.provider_ref ?? objects[0]?.providerRef;
  const strangers = objects.filter(({ providerRef }) => providerRef !== ref);
  if (strangers.length === 0) return [];
  return resource.kind === 'owner' && !(await hasAccounts(tx, resource.user_id)) ? [] : strangers;
}

async function hasAccounts(tx: Db, userId: string): Promise<boolean> {
  const account = await tx
    .selectFrom('provider_resources')
    .select('handle')
    .where('user_id', '=', userId)
    .where('kind', '=', 'account')
    .limit(1)
    .executeTakeFirst();
  return account !== undefined;
}

export const recordTwin = (
  tx: Db,
  resource: ProviderResourceRow,
  snapshot: Snapshot,
  state: string,
  cause: Cause,
  now: Date,
): Promise<void> => recordDiscrepancy(tx, resource, twin(snapshot, state), cause, now);

const twin = (snapshot: Snapshot, state: string): NewDiscrepancy => ({
  kind: 'twin',
  event: said(snapshot, 'twin'),
  state,
  providerRef: snapshot.providerRef,
  // Whatever becomes of it, it is the same twin.
  fingerprint: snapshot.providerRef,
  snapshotAt: snapshot.updatedAt,
});

/** The object that was followed until a person chose another one. @param resource as it was until then. */
export async function recordFormer(
  tx: Db,
  resource: ProviderResourceRow,
  state: string,
  cause: Cause,
  now: Date,
): Promise<void> {
  const { provider_ref: providerRef, snapshot_updated_at: at, snapshot_status: status } = resource;
  if (providerRef === null) return;
  const event = { type: 'twin', ...(status && { status }) };
  const former = { event, state, providerRef, fingerprint: providerRef, snapshotAt: at ?? now };
  await recordDiscrepancy(tx, resource, { kind: 'twin', ...former }, cause, now);
}

/** Whether a person has still to choose between objects under this handle. */
export const hasUnresolvedTwin = (db: Db, handle: string): Promise<boolean> => exists(db, 'handle', handle);

/** Whether a person has still to choose between objects of this payment or withdrawal. */
export const subjectHasUnresolvedTwin = (db: Db, subjectId: string): Promise<boolean> =>
  exists(db, 'subject_id', subjectId);

async function exists(db: Db, column: 'handle' | 'subject_id', id: string): Promise<boolean> {
  const open = await db
    .selectFrom('discrepancies')
    .select('id')
    .where(column, '=', id)
    .where('kind', '=', 'twin')
    .where('resolved_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return open !== undefined;
}

/** What may be applied beside an unresolved twin: it undoes nothing, and gives nobody reason to pay again. */
export const isSuccess = (event: ProviderEvent): boolean =>
  event.kind === 'kyc.updated'
    ? event.status === 'completed'
    : event.kind.endsWith('.completed') || event.kind === 'account.activated';
