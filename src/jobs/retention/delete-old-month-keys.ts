// Destroys the data key of a month when none of the payloads that it sealed is stored any more. Copies of them in backups can then
// no longer be opened.

import type { DatabaseTime } from '../../platform/database/database-time.ts';
import { payloadsRemovedUpTo } from '../../privacy/retention.ts';
import { monthScope } from '../../security/encryption-contexts.ts';
import { deleteDataKey, listScopesWithKey } from '../../tables/data-keys/statements.ts';
import type { Db } from '../../tables/orm.ts';
import { isPayloadStored } from '../../tables/webhook-events/statements.ts';
import { count } from '../counters.ts';
import type { PageResult, StageContext } from '../stage.ts';

/** The number of past months that are checked. Payloads of an unresolved transaction may be kept for years. */
const MONTHS = 20 * 12;

export async function deleteOldMonthKeys({
  db,
  erasureDb,
  now,
  counters,
}: StageContext): Promise<PageResult> {
  for (const month of await monthsWithKey(db, now)) {
    if (await isInUse(db, month)) continue;
    await deleteDataKey(erasureDb, { scope: month.scope });
    count(counters, 'month keys destroyed');
  }
  return { next: null };
}

type Month = { scope: string; from: Date; to: Date };

/** Lists the months that have a data key and are old enough for their payloads to be removed. */
async function monthsWithKey(db: Db, now: DatabaseTime): Promise<Month[]> {
  const until = payloadsRemovedUpTo(now).toDate();
  const months = Array.from({ length: MONTHS }, (_, back): Month => {
    const from = new Date(Date.UTC(until.getUTCFullYear(), until.getUTCMonth() - 1 - back));
    const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1));
    return { scope: monthScope(from), from, to };
  });
  const rows = await listScopesWithKey(db, { scopes: months.map(({ scope }) => scope) });
  return months.filter(({ scope }) => rows.some((row) => row.scope === scope));
}

const isInUse = async (db: Db, { from, to }: Month): Promise<boolean> =>
  (await isPayloadStored(db, { from, to }))?.isStored ?? true;
