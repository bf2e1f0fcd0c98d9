// Destroys the data key of a month once no payload that it sealed is left: then older copies of them cannot be opened
// either.
import type { App } from '../app.ts';
import { count } from '../batch/counters.ts';
import type { PageResult, StageContext } from '../batch/stage.ts';
import { payloadsRemovedUpTo } from '../domain/retention.ts';
import { monthScope } from '../sealing/encryption-contexts.ts';
import { deleteDataKey, listScopesWithKey } from '../sql/data-keys.ts';
import { isPayloadStored } from '../sql/webhook-events.ts';

/** How far back months are checked: payloads of an unresolved transaction may be kept for years. */
const MONTHS = 20 * 12;

export async function deleteOldMonthKeys({ app, counters }: StageContext): Promise<PageResult> {
  for (const month of await monthsWithKey(app)) {
    if (await isInUse(app, month)) continue;
    await deleteDataKey(app.erasureDb, { scope: month.scope });
    count(counters, 'month keys destroyed');
  }
  return { next: null };
}

type Month = { scope: string; from: Date; to: Date };

/** Only months so long ago that their payloads may be gone. */
async function monthsWithKey({ db, clock }: App): Promise<Month[]> {
  const until = payloadsRemovedUpTo(clock.now());
  const months = Array.from({ length: MONTHS }, (_, back): Month => {
    const from = new Date(Date.UTC(until.getUTCFullYear(), until.getUTCMonth() - 1 - back));
    const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1));
    return { scope: monthScope(from), from, to };
  });
  const rows = await listScopesWithKey(db, { scopes: months.map(({ scope }) => scope) });
  return months.filter(({ scope }) => rows.some((row) => row.scope === scope));
}

const isInUse = async ({ db }: App, { from, to }: Month): Promise<boolean> =>
  (await isPayloadStored(db, { from, to }))?.isStored ?? true;
