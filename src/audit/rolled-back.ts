// Finds bank details that were put back to a former version, together with their version number: the audit log has a higher one.

import { isUuid } from '../domain/ids.ts';
import { listRolledBack } from '../tables/bank-details/statements.ts';
import type { Db } from '../tables/orm.ts';
import { insertEntries } from './entry.ts';

const ACTION = 'bank-details.replaced';

type RecordRow = { action: string; details: string };
type Recorded = { id: string; version: number };

/** Records the version of replaced bank details. Run it as the last statement of a transaction, because it locks the audit log. */
export async function recordVersion(
  tx: Db,
  { id, userId, version }: { id: string; userId: string; version: number },
  requestId: string,
  now: Date,
): Promise<void> {
  const details: Recorded = { id, version };
  await insertEntries(tx, [{ at: now, action: ACTION, userId, requestId, details }]);
}

/** Returns one sentence for each bank details row whose version is lower than the one that these rows of the audit log have. */
export async function findRolledBack(db: Db, page: RecordRow[]): Promise<string[]> {
  const recorded = page
    .filter(({ action }) => action === ACTION)
    .map(({ details }) => JSON.parse(details) as Recorded)
    // A row that was tampered with may contain anything. The verification of the chain reports it.
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
