// The outcome of a callback. `unmatched` may still be ours: it can overtake the commit that it is about.
export type CallbackOutcome = { status: 'applied' | 'ignored' | 'unmatched'; why: string | null };

/** For events that are not mapped. */
export const UNMAPPED_EVENT = 'no use for this event';
