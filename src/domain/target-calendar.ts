// The business days of TARGET, the payment system of the euro: every day but Saturdays, Sundays and six holidays. A business day is
// a calendar day in Frankfurt. It has 24 hours, because clocks change on Sundays only.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A calendar day, as the time of its midnight in UTC, in milliseconds since 1970. */
type Day = number;

/**
 * Returns the time when 24 hours of business days have passed: the same time on the next business day, or the end of the next
 * business day if the given time is not on one.
 */
export function oneBusinessDayAfter(time: Date): Date {
  const today = dayOf(time);
  const next = nextBusinessDay(today, DAY_MS);
  if (!isBusinessDay(today)) return new Date(midnightOf(next + DAY_MS));
  return new Date(midnightOf(next) + (time.getTime() - midnightOf(today)));
}

/**
 * Returns the same time on the previous business day, since which 24 hours of business days have passed. If the given time is not on
 * a business day, it returns when the last business day began: 24 hours have passed since every earlier time, and since no later one.
 */
export function oneBusinessDayBefore(time: Date): Date {
  const today = dayOf(time);
  const previous = nextBusinessDay(today, -DAY_MS);
  if (!isBusinessDay(today)) return new Date(midnightOf(previous));
  return new Date(midnightOf(previous) + (time.getTime() - midnightOf(today)));
}

/** @param stepMs one day, forwards or backwards. */
function nextBusinessDay(day: Day, stepMs: number): Day {
  const next = day + stepMs;
  return isBusinessDay(next) ? next : nextBusinessDay(next, stepMs);
}

/** Holidays by month and day. Good Friday and Easter Monday are two more. */
const fixedHolidays = new Set(['1-1', '5-1', '12-25', '12-26']);

/** Returns whether TARGET is open on a calendar day in Frankfurt. @param day that day's midnight in UTC */
export function isBusinessDay(day: Day): boolean {
  const date = new Date(day);
  const weekday = date.getUTCDay();
  if (weekday === 0 || weekday === 6) return false;
  if (fixedHolidays.has(`${date.getUTCMonth() + 1}-${date.getUTCDate()}`)) return false;
  const daysFromEaster = (day - easterSundayOf(date.getUTCFullYear()).getTime()) / DAY_MS;
  return daysFromEaster !== -2 && daysFromEaster !== 1;
}

/**
 * Returns Easter Sunday of a year of the Gregorian calendar, as its midnight in UTC. The names of the terms are those of the
 * anonymous algorithm in Meeus, Astronomical Algorithms, chapter 8.
 */
export function easterSundayOf(year: number): Date {
  const a = year % 19;
  const b = Math.trunc(year / 100);
  const c = year % 100;
  const d = Math.trunc(b / 4);
  const e = b % 4;
  const f = Math.trunc((b + 8) / 25);
  const g = Math.trunc((b - f + 1) / 3);
  const h = (19 * a + b - d - g + 15) % 30;
  const i = Math.trunc(c / 4);
  const k = c % 4;
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.trunc((a + 11 * h + 22 * l) / 451);
  const n = h + l - 7 * m + 114;
  return new Date(Date.UTC(year, Math.trunc(n / 31) - 1, (n % 31) + 1));
}

const inFrankfurt = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Berlin',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** Returns the calendar day of a time in Frankfurt. */
function dayOf(time: Date): Day {
  const parts = Object.fromEntries(inFrankfurt.formatToParts(time).map(({ type, value }) => [type, value]));
  return Date.UTC(Number(parts['year']), Number(parts['month']) - 1, Number(parts['day']));
}

/** Returns when a day begins in Frankfurt, in milliseconds since 1970: two hours before midnight in UTC in summer, else one. */
function midnightOf(day: Day): number {
  const inSummer = day - 2 * HOUR_MS;
  return dayOf(new Date(inSummer)) === day ? inSummer : day - HOUR_MS;
}
