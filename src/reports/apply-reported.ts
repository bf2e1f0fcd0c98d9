// Applies everything that the provider reports: replies, callbacks and look-ups. It finds the subject of a resource by our handle,
// or the account of a movement, and applies the report in one commit with the caller's own writes.

import type { Clock } from '../domain/clock.ts';
import { isUuid, NIL_UUID } from '../domain/ids.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { type GroupCommitting, groupedTransaction } from '../outbox/hand-off.ts';
import type { Config } from '../platform/config/config.ts';
import type { Db } from '../platform/database/orm.ts';
import { unlessErased } from '../platform/sealing/data-keys.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import { findResourceByHandle } from '../platform/sql/provider-resources.ts';
import type { LookupResult, Movement, Snapshot } from '../provider/port.ts';
import { applyMovement } from './apply-movement.ts';
import { type ApplyResult, applySnapshot } from './apply-snapshot.ts';
import { differencesFromOrder } from './as-expected.ts';
import type { ResourceIdentity } from './resource.ts';
import { snapshotColumnsOf } from './snapshot-columns.ts';
import { followedOf } from './twins.ts';

export type { ApplyResult } from './apply-snapshot.ts';

/** The dependencies of everything that applies a report. */
export type ApplyServices = GroupCommitting & { sealer: Sealer; clock: Clock; config: Config };

/** Writes more in the commit that applies the report. It is called only if the report matches a row. */
export type InSameCommit = (tx: Db, result: Exclude<ApplyResult, 'unmatched'>) => Promise<void>;

export async function applyReported(
  services: ApplyServices,
  reported: LookupResult<Snapshot> | Movement,
  cause: Cause,
  inSameCommit?: InSameCommit,
): Promise<ApplyResult> {
  if (reported.kind === 'movement') return applyMovement(services, reported, cause, inSameCommit);
  const known = await findResourceByHandle(services.db, { handle: handleOf(reported) });
  if (!known || known.kind !== reported.kind) return 'unmatched';
  const { followed, others } = followedOf(known, reported);
  return applyToOrdered(services, known, { snapshot: followed ?? reported, others }, cause, inSameCommit);
}

// Our handles are uuids. Another company's handle may be any text, which the uuid column cannot be compared with.
const handleOf = ({ handle }: Snapshot): string => (isUuid(handle) ? handle.toLowerCase() : NIL_UUID);

/**
 * Applies a snapshot whose resource is already known, such as the answer to a request.
 * @param known the identity of the resource.
 * @param others the other objects that were found under its handle.
 * @returns `unmatched` if the subject's row is gone, or the user was erased.
 */
export async function applyToOrdered(
  services: Omit<ApplyServices, 'config'>,
  known: ResourceIdentity,
  { snapshot, others }: { snapshot: Snapshot; others: Snapshot[] },
  cause: Cause,
  inSameCommit?: InSameCommit,
): Promise<ApplyResult> {
  // Sealing may load a data key, so it runs before the transaction and its locks.
  const columns = await unlessErased(
    snapshotColumnsOf(services.sealer, known, snapshot, services.clock.now()),
  );
  if (columns === null) return 'unmatched';
  const differs = await differencesFromOrder(services, known, snapshot);
  return groupedTransaction(services, known.userId, async (tx) => {
    const now = services.clock.now();
    const report = { known, snapshot, others, columns, differs, cause, now };
    const { result, written } = await applySnapshot(tx, report);
    await Promise.all([written, result === 'unmatched' ? null : inSameCommit?.(tx, result)]);
    return result;
  });
}
