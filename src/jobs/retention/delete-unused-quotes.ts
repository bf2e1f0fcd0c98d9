// Deletes unused quotes. A user can request hundreds of quotes per second, so they must not accumulate.

import type { Db } from '../../platform/database/orm.ts';
import { deleteUnusedQuotesPage, UNUSED_QUOTES_PAGE } from '../../platform/sql/pix-quotes.ts';
import { count } from '../counters.ts';
import type { PageResult, StageContext } from '../stage.ts';

/** Every minute, quotes that expired within this many hours are deleted. The nightly job looks further back. */
const LAST_HOUR = 1;
const LAST_WEEK = 7 * 24;

/** Deletes unused quotes of the last hour. @returns the number of quotes deleted. */
export async function deleteUnusedQuotes(db: Db): Promise<number> {
  for (let deleted = 0; ; ) {
    const page = await deleteUnusedQuotesPage(db, { hours: LAST_HOUR });
    deleted += page;
    if (page < UNUSED_QUOTES_PAGE) return deleted;
  }
}

/** The nightly stage. It deletes the unused quotes of the last week that the minutely deletion missed while no process ran. */
export async function deleteMissedQuotes({ db, counters }: StageContext): Promise<PageResult> {
  const deleted = await deleteUnusedQuotesPage(db, { hours: LAST_WEEK });
  count(counters, 'unused quotes removed', deleted);
  return { next: deleted < UNUSED_QUOTES_PAGE ? null : { after: null } };
}
