// The time in São Paulo, which Brazilian receipts show.

const ZONE = { timeZone: 'America/Sao_Paulo' };
/** Swedish writes a time as ISO 8601 does. */
const clock = new Intl.DateTimeFormat('sv-SE', { ...ZONE, dateStyle: 'short', timeStyle: 'medium' });
const offset = new Intl.DateTimeFormat('en', { ...ZONE, timeZoneName: 'longOffset' });

/** Returns the time in São Paulo to the second, with its offset from UTC: `2026-03-02T09:00:31-03:00`. */
export function saoPauloTime(time: Date): string {
  const zone = offset.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${clock.format(time).replace(' ', 'T')}${zone.replace('GMT', '')}`;
}
