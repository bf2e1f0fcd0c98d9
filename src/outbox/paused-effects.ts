// Kinds of effects can be paused by operators. Every process reads the list of paused kinds once a second.

/** After a pause a process may carry out effects of the kind for as long as this, by what it had read before. */
export const PAUSES_KNOWN_FOR_MS = 1_000;
