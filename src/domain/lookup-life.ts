// How long the look-up of a recipient counts.

const MINUTE = 60_000;

/** How long a payment may use a look-up, in milliseconds. */
export const LOOKUP_VALID_MS = 15 * MINUTE;
/** An unused look-up is deleted this long after it was made. */
export const UNUSED_LOOKUPS_KEPT_MS = 24 * 60 * MINUTE;
