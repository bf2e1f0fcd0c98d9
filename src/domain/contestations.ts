// Contestations of payments: their reasons and statuses, and how long a payment can be contested.
import { isPlainText } from './plain-text.ts';

/** The kinds of fraud that Brazil's return mechanism knows. A wrong recipient is not among them. */
export const contestationReasons = ['scam', 'unauthorised', 'coercion'] as const;
export type ContestationReason = (typeof contestationReasons)[number];

export const contestationStatuses = ['open', 'accepted', 'rejected'] as const;
export type ContestationStatus = (typeof contestationStatuses)[number];

const DAY_MS = 24 * 60 * 60_000;

/** How long after its completion a payment can be contested: 80 days, the limit of the return mechanism. */
export const CONTESTABLE_FOR_MS = 80 * DAY_MS;

/** The maximum length of what a user writes about a payment. */
const longestDescription = 1_000;

/**
 * Normalises a text that a user wrote in several lines.
 * @returns the text in one line, or null if it is empty, has more than 1,000 characters, or has characters that hide or reorder any of it
 */
export function canonicalDescription(input: string): string | null {
  const text = input.replaceAll(/[\t\n\v\f\r\x85\u2028\u2029]+/g, ' ').trim();
  return text !== '' && text.length <= longestDescription && isPlainText(text) ? text : null;
}
