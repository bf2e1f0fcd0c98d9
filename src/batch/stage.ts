// A job is a row of stages, and a stage is pages: each small enough to be repeated when it is broken off.
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { safeMessageOf } from '../provider/safe-message.ts';
import { addFailure, type Counters } from './counters.ts';

/** Where a page begins; null is the beginning. Its form is the stage's own. */
export type PagePosition = { after: string | null; isSettled?: boolean; kept?: string };

export type PageResult = {
  /** Null where the stage ends. */
  next: PagePosition | null;
  /** What must be written together with the position, should the page be the one that counts. */
  commit?: (tx: Db) => Promise<void>;
  /** What the job's next run shall begin with, once this one is finished. */
  checkpoint?: string;
};

/** What a page works with. */
export type StageContext = { app: App; cause: Cause; counters: Counters; signal: AbortSignal | undefined };

/** Doing a page twice, or in two processes concurrently, does no harm. */
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

/** Does the same to each item, a few at a time. What goes wrong with one is noted and keeps none of the others back. */
export async function forEach<Item>(
  context: StageContext,
  stage: string,
  items: Item[],
  idOf: (item: Item) => string,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      if (context.signal?.aborted) return;
      try {
        await work(item);
      } catch (error) {
        noteFailure(context, stage, idOf(item), error);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  // A page that was broken off is not done, and what failed in it may have failed for that.
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
