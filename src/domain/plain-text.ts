// Checks and cleans short texts that users see: names of users and recipients, and payers' references.

/**
 * Control characters, and characters that change the direction of the text around them. The contract refuses the same characters.
 */
const hidden = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Returns whether a name has no characters that hide or reorder its text. */
export const isPlainText = (text: string): boolean => !hidden.test(text);

/** Returns a text that somebody outside wrote, with a space in place of these characters and without spaces at its ends. */
export const plainTextOf = (text: string): string =>
  text
    .split(hidden)
    .filter((part) => part !== '')
    .join(' ')
    .trim();
