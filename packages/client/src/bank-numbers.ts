// Generated from src/domain/bank-numbers.ts by scripts/generate.ts; change that, not this.
// Checks the numbers of bank accounts by their form.

/** Returns whether a text is the number of an account in the United Kingdom: eight digits, leading zeros included. */
export const isAccountNumber = (text: string): boolean => /^\d{8}$/.test(text);

/** Returns whether a text is a sort code in the form `12-34-56`. */
export const isSortCode = (text: string): boolean => /^\d{2}-\d{2}-\d{2}$/.test(text);

/**
 * Returns whether a text has the form of a BIC, in either case: four letters for the bank, two for the country, two characters for
 * the location, and three more for a branch (ISO 9362).
 */
export const isBic = (text: string): boolean => /^[A-Z]{6}[A-Z\d]{2}(?:[A-Z\d]{3})?$/i.test(text);
