// Ids of our own rows, and the public form of a quote's id.
import { NIL, v7 as uuidV7, validate, version } from 'uuid';
import { randomBytes } from './random-bytes.ts';

/** No row has it, and every row's id sorts after it: where paging by id begins. */
export const NIL_UUID: string = NIL;

/** Of any version, in either case: the provider's ids need not have our form. */
export const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isUuid = (text: string | null): text is string => text !== null && uuidPattern.test(text);

/** Whether it is in the form that the database returns: lower case. */
export const isCanonicalUuid = (text: string): boolean => isUuid(text) && text === text.toLowerCase();

const quotePrefix = 'quote_';

/** The time and the counter in the newest id: the library keeps them only where it draws the random bytes itself. */
let newestMs = 0;
let counter = 0;

/**
 * @returns a new uuid, version 7. Within one process each sorts after the one before, as text too, also when the clock
 *   stands still or is set back: lists are paged in this order
 */
export function newId(): string {
  const random = randomBytes(16);
  const now = Date.now();
  if (now > newestMs) {
    newestMs = now;
    // Half of all numbers at most, so that the ids of the same millisecond can count on.
    counter = random.readUInt32BE(6) >>> 1;
  } else {
    counter = (counter + 1) >>> 0;
    if (counter === 0) newestMs += 1;
  }
  return uuidV7({ random, msecs: newestMs, seq: counter });
}

/** The public form of a quote's id, opaque to apps. */
export function quoteIdText(id: string): string {
  return quotePrefix + id;
}

/** @returns the uuid inside, or null when the text is not exactly what {@link quoteIdText} writes */
export function parseQuoteId(text: string): string | null {
  const id = text.slice(quotePrefix.length);
  return text.startsWith(quotePrefix) && validate(id) && id === id.toLowerCase() ? id : null;
}

/** @returns when a uuid of version 7 was made, or null for any other uuid. */
export function madeAt(id: string): Date | null {
  return version(id) === 7 ? new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16)) : null;
}
