// Handles vanished objects: objects that the provider has named and no longer finds. Operators see them and polling continues. They
// are never created again, because the provider may find them again later, and then there would be two.

import type { Clock } from '../domain/clock.ts';
import { inDbTransaction } from '../platform/database/db-transaction.ts';
import { listResolvedVanished, resolveOpenOfKind } from '../tables/discrepancies/statements.ts';
import type { Db } from '../tables/orm.ts';
import type { Entity } from '../tables/rows.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { isResolved, type NewDiscrepancy, recordDiscrepancy } from './discrepancies.ts';
import { isFinal, pollVanished, stopPolling } from './polling.ts';
import { lockResource, stateOf } from './subject.ts';

export const CAME_BACK = 'The provider knows it again.';

/** Whether the provider has ever named the resource's object. Such an object is never created again automatically. */
export const hasEverExisted = ({
  providerRef: ref,
}: Pick<Entity<'ProviderResource'>, 'providerRef'>): boolean => ref !== null;

/** Records that the provider no longer finds an object that existed, and keeps polling it. */
export function recordVanished(
  { db, clock }: { db: Db; clock: Clock },
  key: Pick<Entity<'ProviderResource'>, 'handle' | 'userId'>,
  cause: Cause,
): Promise<void> {
  return inDbTransaction(db, async (tx) => {
    const now = clock.now();
    const resource = await lockResource(tx, key);
    const discrepancy = await vanishedFrom(tx, resource, now);
    await recordDiscrepancy(tx, resource, discrepancy, cause, now);
    const { kind, snapshotStatus: status } = resource;
    const isOver = status !== null && isFinal(kind, status) && (await isResolved(tx, resource, discrepancy));
    if (isOver) await stopPolling(tx, resource);
    else await pollVanished(tx, resource);
  });
}

/** The fingerprint of a `vanished` discrepancy. `returns` is how often the object was found again: after each return it is a new one. */
export const vanishedFingerprint = (providerRef: string | null, returns: number): string =>
  `${providerRef} ${returns}`;

async function vanishedFrom(
  tx: Db,
  resource: Entity<'ProviderResource'>,
  now: Date,
): Promise<NewDiscrepancy> {
  const { handle, userId, providerRef, snapshotUpdatedAt: snapshotAt, snapshotStatus: status } = resource;
  const returns = await listResolvedVanished(tx, { handle, userId, resolution: CAME_BACK });
  return {
    kind: 'vanished',
    event: { type: 'vanished', ...(status && { status }) },
    state: await stateOf(tx, resource),
    providerRef,
    fingerprint: vanishedFingerprint(providerRef, returns.length),
    snapshotAt: snapshotAt ?? now,
  };
}

/**
 * Resolves the `vanished` discrepancies of an object that is found again. Vanished objects are polled (`pollVanished`), so for a
 * resource that was never polled, or is not polled now, no query is sent.
 */
export async function resolveVanished(
  tx: Db,
  { handle, userId, pollCount, nextPollAt }: Entity<'ProviderResource'>,
  now: Date,
): Promise<void> {
  if (pollCount === 0 || nextPollAt === null) return;
  const resolution = { resolvedAt: now, resolution: CAME_BACK };
  await resolveOpenOfKind(tx, { handle, userId, kind: 'vanished', ...resolution });
}
