// A job has stages, and a stage has pages. An interrupted page is repeated, so pages are small.

import { NIL_UUID } from '../domain/ids.ts';
import type { Log } from '../domain/log.ts';
import type { DatabaseClock, DatabaseTime } from '../platform/database/database-time.ts';
import { safeMessageOf } from '../provider/errors.ts';
import type { Landmark } from '../provider/landmark.ts';
import type { Provider } from '../provider/port.ts';
import type { ApplyServices } from '../reports/apply-reported.ts';
import { findLastCheckpoint } from '../tables/job-runs/statements.ts';
import type { Db } from '../tables/orm.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { type Counters, count, keep, NOT_CHECKED } from './counters.ts';

/** The start of a page. Each stage has its own form of `after`; null is the beginning of the stage. */
export type PagePosition = {
  after: string | null;
  isSettled?: boolean;
  last?: string;
  landmark?: Landmark;
  since?: string;
};

export type PageResult = {
  /** The start of the next page. Null at the end of the stage. */
  next: PagePosition | null;
  /** Part of the commit that stores the position. Only the process whose page counts calls it. */
  commit?: (tx: Db) => Promise<void>;
  /** The start of the job's next run. It is stored when this run is finished. */
  checkpoint?: string;
};

/** The dependencies of the stages. `db` has connections whose statements may take long. */
export type JobServices = ApplyServices & {
  erasureDb: Db;
  databaseClock: DatabaseClock;
  provider: Provider<'background'>;
  log: Log;
  config: { usdcAccountsEnabled: boolean };
};

/** The dependencies of a page, and the run that it belongs to. */
export type StageContext = JobServices & {
  cause: Cause;
  counters: Counters;
  signal: AbortSignal | undefined;
  run: string;
  /** When the page began, by the database's clock. */
  now: DatabaseTime;
  /** Whether it is the run of a night. A run by hand scans whole lists. */
  isNight: boolean;
};

/** One part of a job. Its pages are safe to repeat, and safe in two processes concurrently. */
export type Stage = {
  name: string;
  page: (context: StageContext, position: PagePosition) => Promise<PageResult>;
  /** Whether a page that fails is repeated until it succeeds. Otherwise the next run repeats it. */
  isRepeated?: true;
};

/**
 * Returns where the next page begins. Null if this page is not full: it is the last one.
 * @param rows the page, at most `limit` rows.
 */
export function nextAfter<Row>(
  rows: Row[],
  limit: number,
  markOf: (row: Row) => string,
): PagePosition | null {
  const last = rows.at(-1);
  return last === undefined || rows.length < limit ? null : { after: markOf(last) };
}

/** Returns the text of a place in rows that are ordered by a time and an id. */
export const placeOf = (time: Date, id: string): string => `${time.toISOString()} ${id}`;

/** Reads such a place. The place before the first row has a time that is before every other one. */
export function readPlace(place: string | null): { time: string; id: string } {
  const [time = '', id = ''] = (place ?? `-infinity ${NIL_UUID}`).split(' ');
  return { time, id };
}

/** Items of a page that are worked on concurrently. */
const CONCURRENCY = 5;

/** An item of a page: one of our rows, a movement, or an object of a list. */
type Item = { id: string } | { providerRef: string } | { snapshot: { providerRef: string } };

/** Returns the id that names a failed item: ours if it has one, otherwise the provider's. */
function idOf(item: Item): string {
  if ('id' in item) return item.id;
  return 'snapshot' in item ? item.snapshot.providerRef : item.providerRef;
}

/** Applies `work` to each item, a few concurrently. A failed item is recorded and does not stop the others. */
export async function forEach<One extends Item>(
  context: StageContext,
  stage: string,
  items: One[],
  work: (item: One) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const runWorker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      if (context.signal?.aborted) return;
      try {
        await work(item);
      } catch (error) {
        noteFailure(context, stage, idOf(item), error);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runWorker));
  // An interrupted page is repeated. The interruption may have caused its failures.
  context.signal?.throwIfAborted();
}

export function noteFailure(
  { log, counters }: StageContext,
  stage: string,
  id: string,
  error: unknown,
): void {
  log.warn(
    { code: 'batch.item_failed', error, stage, id },
    'the item of a nightly job failed; the next run repeats it',
  );
  count(counters, NOT_CHECKED);
  keep(counters.failures, [{ stage, id, error: safeMessageOf(error) }]);
}

export const checkpointOfLastRun = async (db: Db, job: string): Promise<string | null> =>
  (await findLastCheckpoint(db, { job }))?.checkpoint ?? null;
