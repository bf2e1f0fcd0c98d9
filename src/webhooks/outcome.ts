// What became of a callback. `unmatched` may still be ours: it can overtake the commit that it is about.
export type Outcome = { status: 'applied' | 'ignored' | 'unmatched'; why: string | null };

/** Said of events that the service has no mapping for. */
export const NO_USE = 'no use for this event';
