// The outcome of a callback. An `unmatched` callback may still belong to one of our rows: it can
// overtake the commit that it is about.
export type CallbackOutcome = { status: 'applied' | 'ignored' | 'unmatched'; why: string | null };

/** Counts a processed callback. @param seconds how long ago it was received. */
export type CallbackProcessed = (status: CallbackOutcome['status'], seconds: number) => void;

/** The outcome of an event that this service does not map. */
export const UNMAPPED_EVENT = 'no use for this event';
