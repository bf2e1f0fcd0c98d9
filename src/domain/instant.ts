// An instant as a client writes it: a date-time of RFC 3339 with an offset. The contract has its form.

/**
 * Parses an instant. Lists have milliseconds, so more decimals are rounded up: then a time at or after the instant is one at or after
 * the result.
 * @param text has the form of the contract.
 * @returns null if the calendar or the clock does not have the time, as in `2026-02-30T00:00:00Z`. Leap seconds are refused.
 */
export function parseInstant(text: string): Date | null {
  const [, day = '', clock = '', decimals = '', offset = ''] =
    /^(.{10})T(.{8})(?:\.(\d+))?(.+)$/.exec(text) ?? [];
  const isOnCalendar = isoDayOf(new Date(`${day}T00:00:00Z`)) === day;
  const instant = new Date(`${day}T${clock}.${decimals.slice(0, 3).padEnd(3, '0')}${offset}`);
  if (!isOnCalendar || clock.startsWith('24') || Number.isNaN(instant.getTime())) return null;
  return /[1-9]/.test(decimals.slice(3)) ? new Date(instant.getTime() + 1) : instant;
}

const isoDayOf = (time: Date): string | null =>
  Number.isNaN(time.getTime()) ? null : time.toISOString().slice(0, 'yyyy-mm-dd'.length);
