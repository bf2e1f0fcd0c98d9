// Checks and cleans short texts: names that users see, payers' references, and the numbers and keys that people paste.

/**
 * Characters that people do not see or that reorder the text around them: control characters, line separators, and every character that
 * Unicode calls default-ignorable, such as overrides of direction and spaces of no width. They are written out because not every
 * engine of React Native knows Unicode's properties in a pattern; a test compares the two.
 */
const hidden =
  // oxlint-disable-next-line no-control-regex -- it finds control characters
  /[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\0-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufff8\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;

/**
 * Joiners that belong to the spelling: between two letters of Arabic, Syriac or an Indic script (a Persian name such as علی‌رضا has
 * one), and after an emoji.
 */
const joiners =
  /(?<before>[\u0600-\u074f\u0750-\u077f\u08a0-\u0dff])[\u200c\u200d](?=[\u0600-\u074f\u0750-\u077f\u08a0-\u0dff])|(?<emoji>[\u203c-\u3299\u{1f000}-\u{1faff}])\ufe0f?\u200d?/gu;

/** The maximum length of a name in a payment message (ISO 20022, Max140Text). */
const longestName = 140;

/** Returns whether a text has no characters that hide or reorder any of it. */
export const isPlainText = (text: string): boolean => !hidden.test(text.replaceAll(joiners, '$1$2'));

/**
 * Normalises the name of a person or company in a payment.
 * @returns the name without spaces at its ends, or null if it is empty, has more than 140 characters, or has characters that hide or
 *   reorder any of it
 */
export function canonicalName(input: string): string | null {
  const name = input.trim();
  return name !== '' && name.length <= longestName && isPlainText(name) ? name : null;
}

/** Returns a text that somebody outside wrote, with a space in place of these characters and without spaces at its ends. */
export const plainTextOf = (text: string): string =>
  isPlainText(text)
    ? text.trim()
    : text
        .split(hidden)
        .filter((part) => part !== '')
        .join(' ')
        .trim();

/** Spaces of no width, and the marks that phones put around a contact's number. Overrides of direction are not removed. */
const unseen = /[\xad\u061c\u200b-\u200f\u202a\u202c\u2060\u2066\u2068\u2069\ufeff]/g;

/**
 * Returns a pasted number or key in the characters of a keyboard: without spaces at its ends and without invisible marks, with an
 * ordinary space and hyphen for every kind of them. Both texts look the same to a reader.
 */
export const keyboardTextOf = (pasted: string): string =>
  pasted
    .replaceAll(unseen, '')
    .replaceAll(/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g, '-')
    .trim()
    .replaceAll(/[\t\xa0\u2000-\u200a\u202f\u205f\u3000]/g, ' ');
