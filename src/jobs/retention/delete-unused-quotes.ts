// Deletes unused quotes. A user can request hundreds of quotes per second, so they must not accumulate.

import type { Clock } from '../../domain/clock.ts';
import { NIL_UUID } from '../../domain/ids.ts';
import { UNUSED_QUOTES_KEPT_MS } from '../../domain/quote-life.ts';
import { DatabaseTime } from '../../platform/database/database-time.ts';
import { countEach, skippingLocked } from '../../platform/database/skip-locked.ts';
import type { Db } from '../../tables/orm.ts';
import {
  deleteUnusedQuotes,
  listExpiredQuotes,
  type QuotePlace,
} from '../../tables/pix-quotes/statements.ts';
import { keysOf } from '../../tables/work.ts';
import { count } from '../counters.ts';
import { type PagePosition, type PageResult, placeOf, readPlace, type StageContext } from '../stage.ts';

const HOUR_MS = 60 * 60_000;
/** The first run of a process examines the quotes that expired within this time. The nightly stage looks further back. */
const FIRST_MS = HOUR_MS;
const NIGHTLY_MS = 7 * 24 * HOUR_MS;

/** Returns a function that deletes the unused quotes that expired since it was last called, and returns their number. */
export function createQuoteDeletion({ db, clock }: { db: Db; clock: Clock }): () => Promise<number> {
  let place = quotesExpiredAfter(new Date(clock.now().getTime() - FIRST_MS));
  return async () => {
    for (let total = 0; ; ) {
      const { deleted, next } = await deletePage(db, place);
      total += deleted;
      if (next === null) return total;
      place = next;
    }
  };
}

/** The nightly stage. It deletes the unused quotes of the last week that were locked, or that expired while no process ran. */
export async function deleteMissedQuotes(
  { db, now, counters }: StageContext,
  { after }: PagePosition,
): Promise<PageResult> {
  const place = after === null ? quotesExpiredAfter(now.plus(-NIGHTLY_MS).toDate()) : quoteAt(after);
  const { deleted, next } = await deletePage(db, place);
  count(counters, 'unused quotes removed', deleted);
  return { next: next && { after: placeOf(next.expiresAt, next.id) } };
}

/** Examines a page of quotes. `next` is the place of the last one; null if no other quote has expired. */
async function deletePage(db: Db, place: QuotePlace): Promise<{ deleted: number; next: QuotePlace | null }> {
  return skippingLocked(db, async (tx, writing) => {
    const until = (await DatabaseTime.read(tx)).plus(-UNUSED_QUOTES_KEPT_MS);
    const expired = await listExpiredQuotes(tx, { ...place, until });
    const last = expired.at(-1);
    if (!last) return { deleted: 0, next: null };
    const deleted =
      writing === 'together'
        ? await deleteUnusedQuotes.together(tx, keysOf(expired))
        : await countEach(expired, (quote) => deleteUnusedQuotes.each(tx, quote));
    return { deleted, next: { expiresAt: last.expiresAt, id: last.id } };
  });
}

const quotesExpiredAfter = (expiresAt: Date): QuotePlace => ({ expiresAt, id: NIL_UUID });

function quoteAt(place: string): QuotePlace {
  const { time, id } = readPlace(place);
  return { expiresAt: new Date(time), id };
}
