// What became of a callback. `unmatched` may still be ours: it can overtake the commit that it is about.
export type CallbackOutcome = { status: 'applied' | 'ignored' | 'unmatched'; why: string | null };

/** Said of events that the service has no mapping for. */
export const UNMAPPED_EVENT = 'no use for this event';
