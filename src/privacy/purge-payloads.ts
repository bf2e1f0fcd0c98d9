// Removes the payloads of callbacks that were processed 90 days ago. A callback's identity and outcome stay, so that it
// cannot be stored again. A payload is kept while its transaction is unresolved.

import { type RawBuilder, sql } from 'kysely';
import { checkpointOfLastRun } from '../batch/checkpoint.ts';
import { count } from '../batch/counters.ts';
import type { PagePosition, PageResult, StageContext } from '../batch/stage.ts';
import type { Db } from '../database/orm.ts';
import { NIL_UUID } from '../domain/ids.ts';
import { payloadsRemovedUpTo } from '../domain/retention.ts';

/** Small enough that no request waits for its row locks. */
export const PAYLOADS_PAGE_SIZE = 500;

/** Each night continues where the last one ended, or with the first payload that had to be kept. */
export async function purgePayloads(
  { app, counters }: StageContext,
  { after, kept }: PagePosition,
): Promise<PageResult> {
  const from = after ?? (await checkpointOfLastRun(app.db, 'purge-payloads')) ?? null;
  const until = payloadsRemovedUpTo(app.clock.now());
  const rows = await processedAfter(app.db, from, until).execute();
  const due = rows.filter(({ isHeld, isNeeded }) => isHeld && !isNeeded).map(({ id }) => id);
  const removed = await removePayloads(app.db, due, until);
  count(counters, 'payloads removed', removed.size);

  const [firstKept, ...others] = rows.filter(({ id, isHeld }) => isHeld && !removed.has(id));
  count(counters, 'payloads kept for now', firstKept ? 1 + others.length : 0);
  const last = rows.at(-1);
  const goOnWith = kept ?? (firstKept && markBefore(firstKept));
  if (last && rows.length === PAYLOADS_PAGE_SIZE)
    return { next: { after: markOf(last), ...(goOnWith !== undefined && { kept: goOnWith }) } };
  const checkpoint = goOnWith ?? (last ? markBefore(last) : from);
  return { next: null, ...(checkpoint !== null && { checkpoint }) };
}

type Processed = { id: string; processedAt: Date };

/** In the order of processing, which has an index; the batch's size is a literal, so that the planner knows it. */
export const processedAfter = (db: Db, mark: string | null, until: Date) =>
  db
    .selectFrom('webhook_events as event')
    .leftJoin('transactions as transaction', 'transaction.id', 'event.transaction_id')
    .select([
      'event.id',
      'event.processed_at as processedAt',
      sql<boolean>`octet_length(event.payload_sealed) > 0`.as('isHeld'),
      sql<boolean>`coalesce(transaction.status in ('pending', 'settling'), false)`.as('isNeeded'),
    ])
    .$narrowType<{ processedAt: Date }>()
    .where('event.processed_at', '<=', until)
    .$if(mark !== null, (all) => {
      const [at, id] = (mark ?? '').split(' ');
      return all.where(sql<boolean>`(event.processed_at, event.id) > (${at}::timestamptz, ${id}::uuid)`);
    })
    .orderBy('event.processed_at')
    .orderBy('event.id')
    .limit(sql.lit(PAYLOADS_PAGE_SIZE));

/** @returns the ids of those removed. */
async function removePayloads(db: Db, ids: string[], until: Date): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await removal(ids, until).execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** A callback that is locked, or has been requeued meanwhile, stays for another night. */
export const removal = (ids: string[], until: Date): RawBuilder<{ id: string }> => sql<{ id: string }>`
  update webhook_events set payload_sealed = ''
  where id in (
    select id from webhook_events where id = any(${ids}::uuid[]) and processed_at <= ${until}
    for no key update skip locked
  )
  returning id
`;

const markOf = ({ id, processedAt }: Processed): string => `${processedAt.toISOString()} ${id}`;

/** For the next night: a position that names no callback, which by then may be deleted. */
const markBefore = ({ processedAt }: Processed): string => markOf({ id: NIL_UUID, processedAt });
