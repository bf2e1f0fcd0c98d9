// Days and times as an app writes them, in the phone's language and time zone.
import { locale } from './texts/language.ts';
import { t } from './texts/t.ts';

const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'long', year: 'numeric' };
const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' };

/** Formats `14:05`. */
export const timeOf = (iso: string): string => new Date(iso).toLocaleTimeString(locale, TIME);

/** Formats `26 November 2026`, or in Portuguese `26 de novembro de 2026`. */
export const dateOf = (iso: string): string => new Date(iso).toLocaleDateString(locale, DAY);

/** Formats `26 November 2026, 14:05`, for a receipt. */
export const momentOf = (iso: string): string => `${dateOf(iso)}, ${timeOf(iso)}`;

/**
 * Formats `26 November 2026, 14:05:31` on the clocks of São Paulo, wherever the phone is.
 * @param local the local time with its offset: `2026-11-26T14:05:31-03:00`.
 */
export const saoPauloMomentOf = (local: string): string =>
  new Date(`${local.slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`)
    .toLocaleString(locale, { ...DAY, ...TIME, second: '2-digit', timeZone: 'UTC' })
    .replace(/ (at|às) /, ', ');

/** Formats `Today`, `Yesterday`, `Monday 23 November`, and another year with its number. */
export const dayOf = (iso: string, now = new Date()): string =>
  nearDayOf(iso, now) ??
  t('{weekday} {date}', { weekday: weekdayOf(iso), date: dayAndMonthOf(iso, 'long', now) });

/** Formats `Today, 14:05`, `Yesterday, 14:05`, `23 Nov`, and another year with its number. */
export function whenOf(iso: string, now = new Date()): string {
  const near = nearDayOf(iso, now);
  if (near !== null) return `${near}, ${timeOf(iso)}`;
  return dayAndMonthOf(iso, 'short', now);
}

/** Null for a day before yesterday. */
function nearDayOf(iso: string, now: Date): string | null {
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  const day = new Date(iso).toDateString();
  if (day === now.toDateString()) return t('Today');
  return day === yesterday.toDateString() ? t('Yesterday') : null;
}

const weekdayOf = (iso: string): string => new Date(iso).toLocaleDateString(locale, { weekday: 'long' });

function dayAndMonthOf(iso: string, month: 'long' | 'short', now: Date): string {
  const isThisYear = new Date(iso).getFullYear() === now.getFullYear();
  const dayAndMonth: Intl.DateTimeFormatOptions = { day: 'numeric', month };
  return new Date(iso).toLocaleDateString(
    locale,
    isThisYear ? dayAndMonth : { ...dayAndMonth, year: 'numeric' },
  );
}

export type Period = 'this-month' | 'last-month' | 'this-year' | 'last-year';

/** Returns the beginning of a period and the moment after it, by the calendar of the phone's time zone. */
export function periodOf(period: Period, now = new Date()): { from: string; to: string } {
  const back = period.startsWith('last') ? 1 : 0;
  const [year, month] = [now.getFullYear(), now.getMonth()];
  const [from, to] = period.endsWith('year')
    ? [new Date(year - back, 0), new Date(year - back + 1, 0)]
    : [new Date(year, month - back), new Date(year, month - back + 1)];
  return { from: from.toISOString(), to: to.toISOString() };
}
