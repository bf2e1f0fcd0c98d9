// How long the look-up of a recipient, a PIX code that was read, and the check of a bank account's name count.

const MINUTE = 60_000;

/** How long a payment may use a look-up or a code, in milliseconds. */
export const LOOKUP_VALID_MS = 15 * MINUTE;

/** How long a withdrawal may use a check of a name, in milliseconds. */
export const NAME_CHECK_VALID_MS = 15 * MINUTE;

/** An unused look-up or code, and a check of a name, is deleted this long after it was made. */
export const NAMES_KEPT_MS = 24 * 60 * MINUTE;
