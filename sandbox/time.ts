// Times on the wire, and stamps that always increase.

export const isoTime = (ms: number) => new Date(ms).toISOString();
export const isoTimeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms));

/** The next `updated_at` of a resource: now, or a millisecond after the last one. */
export const nextStamp = (now: number, last: number) => Math.max(now, last + 1);
