// Plans the windows of the provider's lists and their slices, and decides where the next page of a slice begins. It also decides how
// many accounts a night scans.

import type { DatabaseTime } from '../../platform/database/database-time.ts';
import type { TimeWindow } from '../../provider/port.ts';

const MINUTE_MS = 60_000;
/** The provider lists an object at most 5 minutes after its time. The other 5 minutes allow for a difference of the clocks. */
export const SETTLED_AFTER_MS = 10 * MINUTE_MS;
/** A window begins this long before the end of the last one, in case that objects were listed late or clocks differ. */
export const OVERLAP_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
/**
 * A night lists the days again that lie so many days back. The later listing begins an hour earlier, so its slices have other names: a
 * slice that has finished under a name does not run again.
 */
const LISTED_AGAIN = [
  { afterDays: 7, overlapMs: 0 },
  { afterDays: 30, overlapMs: OVERLAP_MS },
];
/** A window that was planned too far hides this much at most, because every day is listed again after 30 days. */
const HIDDEN_MS = 31 * DAY_MS;
const SHORTEST_SLICE_MS = 15 * MINUTE_MS;
/** Slices of one window, and of the accounts of one night. */
const SLICES_OF_A_WINDOW = 24;
/** Older changes of the first window are one slice, because most of those years have none. */
const DIVIDED_MS = 25 * 60 * MINUTE_MS;

/**
 * Returns the next window of a list. The first window begins with the oldest change. Null if no time has passed since the last window.
 * @param plannedTo the end of the last window; null before the first. If it is later than now, a clock was ahead when the window was
 *   planned, and later changes were never listed. The window then begins a month ago.
 */
export function nextWindow(plannedTo: Date | null, now: DatabaseTime): TimeWindow | null {
  const to = now.plus(-SETTLED_AFTER_MS).toDate();
  if (plannedTo === null) return { from: new Date(0), to };
  if (isPlannedAhead(plannedTo, now)) return { from: now.plus(-HIDDEN_MS).toDate(), to };
  if (to <= plannedTo) return null;
  return { from: new Date(Math.max(0, plannedTo.getTime() - OVERLAP_MS)), to };
}

/** Returns whether a window ends later than now, because it was planned by a clock that was ahead. */
export const isPlannedAhead = (plannedTo: Date, now: DatabaseTime): boolean => now.isBefore(plannedTo);

/**
 * Returns the days that lie a week and a month back, in UTC. Each night lists them again, so a window that was wrong because of the
 * provider's or the database's clock hides a returned payment for a week, not for good.
 */
export const daysListedAgain = (now: DatabaseTime): TimeWindow[] =>
  LISTED_AGAIN.map(({ afterDays, overlapMs }) => {
    const day = now.startOfDay().plus(-afterDays * DAY_MS);
    return { from: day.plus(-overlapMs).toDate(), to: day.plus(DAY_MS).toDate() };
  });

export function slicesOf({ from, to }: TimeWindow): TimeWindow[] {
  const end = to.getTime();
  const divided = from.getTime() === 0 ? Math.max(0, end - DIVIDED_MS) : from.getTime();
  const length = Math.max(SHORTEST_SLICE_MS, Math.ceil((end - divided) / SLICES_OF_A_WINDOW));
  const begins = divided > from.getTime() ? [from.getTime()] : [];
  for (let begin = divided; begin < end; begin += length) begins.push(begin);
  return begins.map((begin, nth) => ({ from: new Date(begin), to: new Date(begins[nth + 1] ?? end) }));
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
  return { accounts: share, perSlice: Math.max(ACCOUNTS_OF_A_PAGE, Math.ceil(share / SLICES_OF_A_WINDOW)) };
}

/** The start of the next page of a slice: a time, and an object to start after if a whole page has that time. */
export type SlicePosition = { since: Date; after: string | null };

/** A list that is not as the contract says, so its page cannot end a slice. */
export class WindowIgnored extends Error {}

export const isWithin = ({ from, to }: TimeWindow, time: Date): boolean => from <= time && time < to;

/**
 * Returns where the next page begins, or null at the end of the slice. It continues by time and not behind the last object: an object
 * that changes between two pages leaves its place, and a page behind it would skip others. A time outside the window moves nothing.
 * @param times the times of the page's readable objects, in the order of the list.
 * @throws WindowIgnored if all times are outside the window, the others are out of order, or the page leads back to itself.
 */
export function nextPosition(
  { since, after }: SlicePosition,
  { to }: Pick<TimeWindow, 'to'>,
  { times, next }: { times: Date[]; next: string | null },
): SlicePosition | null {
  const inside = times.filter((time) => isWithin({ from: since, to }, time));
  if (inside.length === 0 && times.length > 0)
    throw new WindowIgnored('the list has no object inside its window');
  let last = since;
  for (const time of inside) {
    if (time < last) throw new WindowIgnored('the objects of the list are out of order');
    last = time;
  }
  if (next === null) return null;
  if (last > since) return { since: last, after: null };
  if (next === after) throw new WindowIgnored('the page of the list leads back to itself');
  return { since, after: next };
}
