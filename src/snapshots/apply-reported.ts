// The one handler of everything the provider reports, whether by reply, callback or look-up: finds the subject of a resource
// by our own handle, or the account that a movement is on, and applies to it what the report means, in one commit with what
// else the caller must write.

import type { App } from '../app.ts';
import { byEntity } from '../database/by-entity.ts';
import type { Db } from '../database/orm.ts';
import { isUuid, NIL_UUID } from '../domain/ids.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { groupedTransaction } from '../outbox/transaction.ts';
import type { Found, Movement, Snapshot } from '../provider/port.ts';
import { applyMovement } from './apply-movement.ts';
import { type ApplyResult, applySnapshot } from './apply-snapshot.ts';
import { differencesFromOrder } from './as-ordered.ts';
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
  return reported.kind === 'movement'
    ? applyMovement(app, reported, cause, inSameCommit)
    : applyReportedResource(app, reported, cause, inSameCommit);
}

async function applyReportedResource(
  app: Pick<App, 'db' | 'clock' | 'groupCommit' | 'outbox' | 'sealer'>,
  found: Found<Snapshot>,
  cause: Cause,
  inSameCommit?: InSameCommit,
): Promise<ApplyResult> {
  const known = await byEntity(app.db)
    .selectFrom('ProviderResource')
    .selectAll()
    .where('handle', '=', handleOf(found))
    .executeTakeFirst();
  if (!known || known.kind !== found.kind) return 'unmatched';
  const { followed, others } = followedOf(known, found);
  const snapshot = followed ?? found;
  // Sealing may have to load a key, so it comes before the transaction and its locks.
  const columns = await snapshotColumnsOf(app.sealer, known, snapshot);
  const differs = await differencesFromOrder(app, known, snapshot);
  return groupedTransaction(app, known.userId, async (tx) => {
    const now = app.clock.now();
    const report = { known, snapshot, others, columns, differs, cause, now };
    const { result, written } = await applySnapshot(tx, report);
    await Promise.all([written, result === 'unmatched' ? null : inSameCommit?.(tx, result)]);
    return result;
  });
}

// A handle that is not ours may be any text; ours are uuids, and only those can be looked up as such.
const handleOf = ({ handle }: Snapshot): string => (isUuid(handle) ? handle.toLowerCase() : NIL_UUID);
