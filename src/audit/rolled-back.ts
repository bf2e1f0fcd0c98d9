// Finds bank details that were put back whole, with their former version: the audit record has a higher one.
import type { Db } from '../database/orm.ts';
import { isUuid } from '../domain/ids.ts';
import { listRolledBack } from '../sql/bank-details.ts';
import { insertEntries } from './entry.ts';

const ACTION = 'bank-details.replaced';

/** A row of the audit record. */
type RecordRow = { action: string; details: string };
type Recorded = { id: string; version: number };

/** Records the version of replaced bank details. It comes last in a transaction, because it locks the audit record. */
export async function recordVersion(
  tx: Db,
  { id, userId, version }: { id: string; userId: string; version: number },
  requestId: string,
  now: Date,
): Promise<void> {
  const details: Recorded = { id, version };
  await insertEntries(tx, [{ at: now, action: ACTION, userId, requestId, details }]);
}

/** @returns a sentence for each bank details whose version is lower than one that these rows of the audit record have. */
export async function findRolledBack(db: Db, page: RecordRow[]): Promise<string[]> {
  const recorded = page
    .filter(({ action }) => action === ACTION)
    .map(({ details }) => JSON.parse(details) as Recorded)
    // A row that was tampered with may hold anything. The chain reports it.
    .filter(({ id, version }) => isUuid(id) && Number.isSafeInteger(version));
  if (recorded.length === 0) return [];
  const rows = await listRolledBack(db, {
    ids: recorded.map(({ id }) => id),
    versions: recorded.map(({ version }) => version),
  });
  return rows.map(
    ({ id, version, recorded: last }) =>
      `bank details ${id} have version ${version}, and version ${last} was recorded`,
  );
}
