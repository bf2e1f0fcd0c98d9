// The one handler of everything the provider reports, whether by reply, callback or look-up: finds the subject of a resource
// by our own handle, or the account that a movement is on, and applies to it what the report means, in one commit with what
// else the caller must write.

import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { isUuid, NIL_UUID } from '../domain/ids.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { groupedTransaction } from '../outbox/hand-off.ts';
import type { Found, Movement, Snapshot } from '../provider/port.ts';
import { unlessErased } from '../sealing/data-keys.ts';
import { findResourceByHandle } from '../sql/provider-resources.ts';
import { applyMovement } from './apply-movement.ts';
import { type ApplyResult, applySnapshot } from './apply-snapshot.ts';
import { differencesFromOrder } from './as-ordered.ts';
import type { Ordered } from './resource.ts';
import { snapshotColumnsOf } from './snapshot-columns.ts';
import { followedOf } from './twins.ts';

export type { ApplyResult } from './apply-snapshot.ts';

/** What is to be written in the same commit, if the snapshot finds its row. */
export type InSameCommit = (tx: Db, result: Exclude<ApplyResult, 'unmatched'>) => Promise<void>;

export async function applyReported(
  app: Pick<App, 'db' | 'clock' | 'groupCommit' | 'outbox' | 'sealer' | 'config'>,
  reported: Found<Snapshot> | Movement,
  cause: Cause,
  inSameCommit?: InSameCommit,
): Promise<ApplyResult> {
  if (reported.kind === 'movement') return applyMovement(app, reported, cause, inSameCommit);
  const known = await findResourceByHandle(app.db, { handle: handleOf(reported) });
  if (!known || known.kind !== reported.kind) return 'unmatched';
  const { followed, others } = followedOf(known, reported);
  return applyToOrdered(app, known, { snapshot: followed ?? reported, others }, cause, inSameCommit);
}

// A handle that is not ours may be any text; ours are uuids, and only those can be looked up as such.
const handleOf = ({ handle }: Snapshot): string => (isUuid(handle) ? handle.toLowerCase() : NIL_UUID);

/**
 * The same for a report of which is known what it is about: the answer to a request.
 * @param others what else was found under its handle.
 */
export async function applyToOrdered(
  app: Pick<App, 'db' | 'clock' | 'groupCommit' | 'outbox' | 'sealer'>,
  known: Ordered,
  { snapshot, others }: { snapshot: Snapshot; others: Snapshot[] },
  cause: Cause,
  inSameCommit?: InSameCommit,
): Promise<ApplyResult> {
  // Sealing may have to load a key, so it comes before the transaction and its locks.
  const columns = await unlessErased(snapshotColumnsOf(app.sealer, known, snapshot, app.clock.now()));
  if (columns === null) return 'unmatched';
  const differs = await differencesFromOrder(app, known, snapshot);
  return groupedTransaction(app, known.userId, async (tx) => {
    const now = app.clock.now();
    const report = { known, snapshot, others, columns, differs, cause, now };
    const { result, written } = await applySnapshot(tx, report);
    await Promise.all([written, result === 'unmatched' ? null : inSameCommit?.(tx, result)]);
    return result;
  });
}
