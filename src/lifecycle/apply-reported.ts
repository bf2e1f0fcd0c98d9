// The one handler of everything the provider tells us, whether by reply, callback or look-up: finds whose resource it is
// by our own handle, or whose account a movement is on, and applies what it means to the row that it belongs to, in one
// commit with what else the caller must write.

import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { isUuid, NIL_UUID } from '../domain/ids.ts';
import type { Found, Movement, Snapshot } from '../provider/port.ts';
import { applyMovement } from './apply-movement.ts';
import { type ApplyResult, applySnapshot } from './apply-snapshot.ts';
import { differencesFromOrder } from './as-ordered.ts';
import type { Cause } from './lifecycle.ts';
import { snapshotColumnsOf } from './snapshot-columns.ts';
import { followedOf } from './twins.ts';

export type { ApplyResult } from './apply-snapshot.ts';

/** What is to be written in the same commit, if the snapshot finds its row. */
export type InSameCommit = (tx: Db, observation: Exclude<ApplyResult, 'unmatched'>) => Promise<void>;

export async function applyReported(
  app: Pick<App, 'db' | 'clock' | 'sealer' | 'config'>,
  told: Found<Snapshot> | Movement,
  cause: Cause,
  alongside?: InSameCommit,
): Promise<ApplyResult> {
  return told.kind === 'movement'
    ? applyMovement(app, told, cause, alongside)
    : applyReportedResource(app, told, cause, alongside);
}

async function applyReportedResource(
  app: Pick<App, 'db' | 'clock' | 'sealer'>,
  found: Found<Snapshot>,
  cause: Cause,
  alongside?: InSameCommit,
): Promise<ApplyResult> {
  const known = await app.db
    .selectFrom('provider_resources')
    .selectAll()
    .where('handle', '=', handleOf(found))
    .executeTakeFirst();
  if (!known || known.kind !== found.kind) return 'unmatched';
  const { followed, others } = followedOf(known, found);
  const snapshot = followed ?? found;
  // Sealing may have to load a key, so it comes before the transaction and its locks.
  const facts = await snapshotColumnsOf(app.sealer, known, snapshot);
  const differs = await differencesFromOrder(app, known, snapshot);
  return app.db.transaction().execute(async (tx) => {
    const now = app.clock.now();
    const seen = { known, snapshot, others, facts, differs, cause, now };
    const observation = await applySnapshot(tx, seen);
    if (observation !== 'unmatched') await alongside?.(tx, observation);
    return observation;
  });
}

// Somebody else's handle may be any text; ours are uuids, and only those can be looked up as such.
const handleOf = ({ handle }: Snapshot): string => (isUuid(handle) ? handle.toLowerCase() : NIL_UUID);
