// Plans the windows of the provider's lists and their slices, and decides where the next page of a slice begins. It also decides how
// many accounts a night scans. Pure code: the simulation of a night runs it with a simulated clock.

import type { TimeWindow } from '../../provider/port.ts';

const MINUTE_MS = 60_000;
/** The provider lists an object at most 5 minutes after its time. The other 5 minutes allow for a difference of the clocks. */
const SETTLED_AFTER_MS = 10 * MINUTE_MS;
/** A window begins this long before the end of the last one, in case that objects were listed late or clocks differ. */
const OVERLAP_MS = 60 * MINUTE_MS;
const SHORTEST_SLICE_MS = 15 * MINUTE_MS;
/** Slices that one night plans of a list. */
const SLICES_OF_A_LIST = 96;
/** Older changes of the first window are one slice, because most of those years have none. */
const DIVIDED_MS = 25 * 60 * MINUTE_MS;

/**
 * Returns the next window of a list, as slices without gaps. The first window begins with the oldest change. Empty if no time has
 * passed since the last window.
 * @param plannedTo the end of the last window; null before the first.
 */
export function planSlices(plannedTo: Date | null, now: Date): TimeWindow[] {
  const to = now.getTime() - SETTLED_AFTER_MS;
  if (plannedTo !== null && to <= plannedTo.getTime()) return [];
  const from = plannedTo === null ? 0 : Math.max(0, plannedTo.getTime() - OVERLAP_MS);
  const divided = plannedTo === null ? Math.max(0, to - DIVIDED_MS) : from;
  const length = Math.max(SHORTEST_SLICE_MS, Math.ceil((to - divided) / SLICES_OF_A_LIST));
  const begins = divided > from ? [from] : [];
  for (let begin = divided; begin < to; begin += length) begins.push(begin);
  return begins.map((begin, nth) => ({ from: new Date(begin), to: new Date(begins[nth + 1] ?? to) }));
}

/** In six nights every account is scanned. The seventh is for accounts opened meanwhile, and for a night that did not end. */
const NIGHTS = 6;
/** Objects of one page of a list. */
export const OBJECTS_OF_A_PAGE = 500;
/** Accounts of one page, scanned a few concurrently. */
export const ACCOUNTS_OF_A_PAGE = 50;

/**
 * Returns how many accounts one night scans, and how many of them are in one slice.
 * @param accounts the number of all accounts.
 */
export function shareOfNight(accounts: number): { accounts: number; perSlice: number } {
  const share = Math.max(1, Math.ceil(accounts / NIGHTS));
  return { accounts: share, perSlice: Math.max(ACCOUNTS_OF_A_PAGE, Math.ceil(share / SLICES_OF_A_LIST)) };
}

/** The start of the next page of a slice: a time, and an object to start after if a whole page has that time. */
export type SlicePosition = { since: Date; after: string | null };

/** A list that is not as the contract says, so its page cannot end a slice. */
export class WindowIgnored extends Error {}

/**
 * Returns where the next page begins, or null at the end of the slice. It continues by time and not behind the last object: an object
 * that changes between two pages leaves its place, and a page behind it would skip others.
 * @param times the times of the page's readable objects, in the order of the list.
 * @throws WindowIgnored if a time is outside the slice, the order is wrong, or the page leads back to itself.
 */
export function nextPosition(
  { since, after }: SlicePosition,
  { to }: Pick<TimeWindow, 'to'>,
  { times, next }: { times: Date[]; next: string | null },
): SlicePosition | null {
  let last = since.getTime();
  for (const time of times) {
    if (time.getTime() < last || time.getTime() >= to.getTime())
      throw new WindowIgnored('the list has an object outside its window, or out of order');
    last = time.getTime();
  }
  if (next === null) return null;
  if (last > since.getTime()) return { since: new Date(last), after: null };
  if (next === after) throw new WindowIgnored('the page of the list leads back to itself');
  return { since, after: next };
}
