// Removes the payloads of callbacks that were processed more than 90 days ago. A callback's identity and outcome stay, so that it
// is not stored again. A payload is kept while its transaction is unresolved.

import { NIL_UUID } from '../../domain/ids.ts';
import { payloadsRemovedUpTo } from '../../domain/retention.ts';
import type { Db } from '../../platform/database/orm.ts';
import {
  listProcessedCallbacks,
  PAYLOADS_PAGE_SIZE,
  type ProcessedCallback,
  removePayloads,
} from '../../platform/sql/webhook-events.ts';
import { count } from '../counters.ts';
import { checkpointOfLastRun, type PagePosition, type PageResult, type StageContext } from '../stage.ts';

/** The position before the first payload. */
const BEGINNING = `-infinity ${NIL_UUID}`;

/** Removes a page of payloads. Each night starts where the last one ended, or at the first payload that had to be kept. */
export async function purgePayloads(
  { db, clock, counters }: StageContext,
  { after, kept }: PagePosition,
): Promise<PageResult> {
  const from = after ?? (await checkpointOfLastRun(db, 'purge-payloads')) ?? null;
  const until = payloadsRemovedUpTo(clock.now());
  const [afterProcessedAt = '', afterId = ''] = (from ?? BEGINNING).split(' ');
  const rows = await listProcessedCallbacks(db, { until, afterProcessedAt, afterId });
  const due = rows.filter(({ hasPayload, isNeeded }) => hasPayload && !isNeeded).map(({ id }) => id);
  const removed = await remove(db, due, until);
  count(counters, 'payloads removed', removed.size);

  const [firstKept, ...others] = rows.filter(({ id, hasPayload }) => hasPayload && !removed.has(id));
  count(counters, 'payloads kept for now', firstKept ? 1 + others.length : 0);
  const last = rows.at(-1);
  const goOnWith = kept ?? (firstKept && markBefore(firstKept));
  if (last && rows.length === PAYLOADS_PAGE_SIZE)
    return { next: { after: markOf(last), ...(goOnWith !== undefined && { kept: goOnWith }) } };
  const checkpoint = goOnWith ?? (last ? markBefore(last) : from);
  return { next: null, ...(checkpoint !== null && { checkpoint }) };
}

type Processed = Pick<ProcessedCallback, 'id' | 'processedAt'>;

/** Removes payloads. Returns the ids of the callbacks whose payload was removed. */
async function remove(db: Db, ids: string[], until: Date): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  return new Set((await removePayloads(db, { ids, until })).map(({ id }) => id));
}

const markOf = ({ id, processedAt }: Processed): string => `${processedAt.toISOString()} ${id}`;

/** The position from which the next night continues. It names a time but no callback, because that may be deleted by then. */
const markBefore = ({ processedAt }: Processed): string => markOf({ id: NIL_UUID, processedAt });
