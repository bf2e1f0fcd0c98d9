// A job has stages, and a stage has pages: each small enough to be repeated when it is interrupted.
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import type { Landmark } from '../provider/landmark.ts';
import { safeMessageOf } from '../provider/safe-message.ts';
import { addFailure, type Counters } from './counters.ts';

/** Where a page begins; null is the beginning. Its form is the stage's own. */
export type PagePosition = { after: string | null; isSettled?: boolean; kept?: string; landmark?: Landmark };

export type PageResult = {
  /** Null where the stage ends. */
  next: PagePosition | null;
  /** Written together with the position, by the one process whose page counts. */
  commit?: (tx: Db) => Promise<void>;
  /** Where the job's next run shall begin, once this one is finished. */
  checkpoint?: string;
};

/** What a page works with. */
export type StageContext = { app: App; cause: Cause; counters: Counters; signal: AbortSignal | undefined };

/** Safe to repeat, also in two processes concurrently. */
export type Stage = {
  name: string;
  page: (context: StageContext, position: PagePosition) => Promise<PageResult>;
};

/**
 * @param rows the page, of at most `limit` rows.
 * @returns where the next page begins; null where this one was not full, so that it is the last.
 */
export function nextAfter<Row>(
  rows: Row[],
  limit: number,
  markOf: (row: Row) => string,
): PagePosition | null {
  const last = rows.at(-1);
  return last === undefined || rows.length < limit ? null : { after: markOf(last) };
}

const CONCURRENCY = 5;

/** Applies `work` to each item, a few concurrently. A failed one is noted and does not stop the others. */
export async function forEach<Item>(
  context: StageContext,
  stage: string,
  items: Item[],
  idOf: (item: Item) => string,
  work: (item: Item) => Promise<void>,
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
  // An interrupted page is not done, and its failures may be due to the interruption.
  context.signal?.throwIfAborted();
}

export function noteFailure(
  { app, counters }: StageContext,
  stage: string,
  id: string,
  error: unknown,
): void {
  app.log.warn(
    { code: 'batch.item_failed', error, stage, id },
    'the item of a nightly job failed; the next run repeats it',
  );
  addFailure(counters, { stage, id, error: safeMessageOf(error) });
}
