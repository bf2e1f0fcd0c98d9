// Compares the provider's lists with our rows after the database was restored. What has no row here becomes a `not_ordered` discrepancy,
// and its user is promised no money until recovery has adopted it.
import type { PagePosition, PageResult, StageContext } from '../stage.ts';
import type { List } from './apply-listed.ts';
import { listsByTime, scanListSlice } from './list-slices.ts';
import { scanList } from './scan-list.ts';

/**
 * Scans a page of the window that the run's name begins with, or of the whole list if the provider does not list by time. Unlike a
 * night's window, this one has the last minutes too: what the provider lists late is in the second comparison.
 */
export async function compareList(
  context: StageContext,
  list: List,
  position: PagePosition,
): Promise<PageResult> {
  const isWhole = position.after !== null && position.since === undefined;
  if (isWhole || !(await listsByTime(context, list))) return scanList(context, list, position);
  return scanListSlice({ ...context, run: `${list} ${context.run}` }, position);
}
