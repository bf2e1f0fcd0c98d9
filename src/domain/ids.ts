// Creates the ids of our own rows, and converts a quote's id to and from its public form.
import { NIL, parse, v5 as uuidV5, v7 as uuidV7, validate, version } from 'uuid';
import { randomBytes } from './random-bytes.ts';

/** A uuid that no row has and that sorts before every row's id. Paging by id starts here. */
export const NIL_UUID: string = NIL;

/** Matches a uuid of any version, in either case. The provider's ids may have another version than ours. */
export const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isUuid = (text: string | null): text is string => text !== null && uuidPattern.test(text);

/** Returns whether a text is a uuid in lower case, as the database returns it. */
export const isCanonicalUuid = (text: string): boolean => isUuid(text) && text === text.toLowerCase();

const quotePrefix = 'quote_';

/** The time and the counter of the newest id. The uuid library tracks them only if it draws the random bytes itself. */
let newestMs = 0;
let counter = 0;

/**
 * Returns a new uuid, version 7. Within one process each id sorts after the one before it, also as text, even if the clock stops or
 * is set back. Lists are paged in this order.
 */
export function newId(): string {
  const random = randomBytes(16);
  const now = Date.now();
  if (now > newestMs) {
    newestMs = now;
    // The counter starts in the lower half of its range, so that it can be incremented for further ids of the same millisecond.
    counter = random.readUInt32BE(6) >>> 1;
  } else {
    counter = (counter + 1) >>> 0;
    if (counter === 0) newestMs += 1;
  }
  return uuidV7({ random, msecs: newestMs, seq: counter });
}

/** The namespace of callbacks. It must never change: a callback that is sent again would be stored again. */
const callbacks = parse('7ac1a15d-72cc-4620-9459-8e4b508d0a91');

/** Returns the id of a callback, which is the same each time the provider sends it. @param identity what tells it from the others. */
export const callbackIdOf = (provider: string, identity: Uint8Array): string =>
  uuidV5(identity, uuidV5(provider, callbacks));

/** The namespaces of derived ids. They must never change: a request that is repeated after a restored backup would begin anew. */
const payments = parse('2c0f3e0a-54d6-4f0e-9a3b-6f5f1f0a7f63');
const transactions = parse('b14d4d1c-2f63-4b57-8a0e-0d6a9f4fd2c8');
const withdrawals = parse('e7a4b0d5-9a1f-4a35-8c60-3b3a6c2f9a17');

/**
 * Returns the id of the payment of a quote. A confirmation that is repeated after the payment's row was lost gets the same id, so its
 * requests to the provider are repetitions too. The id has the quote's time, so later payments sort after earlier ones.
 */
export const paymentIdOf = (quoteId: string): string => derivedWithTime(quoteId, payments);

/** Returns the id of the transaction that shows a payment to its user. */
export const transactionIdOf = (paymentId: string): string => derivedWithTime(paymentId, transactions);

/** Returns the id of the withdrawal that a user's request under this `Idempotency-Key` creates, the same each time. */
export const withdrawIdOf = (userId: string, key: string): string => uuidV5(`${userId}:${key}`, withdrawals);

const derivedWithTime = (id: string, namespace: Uint8Array): string =>
  uuidV7({ random: parse(uuidV5(id, namespace)), msecs: madeAt(id)?.getTime() ?? 0 });

const histories = parse('5b9b7a55-0f3c-4e0f-8f3d-41d1f6a0a5ce');

/** Returns the id of the database's history after another one, the same in every process that sees it begin. */
export const historyIdOf = (server: string, formerId: string): string =>
  uuidV5(`${server} after ${formerId}`, histories);

/** Returns the public form of a quote's id, which is opaque to apps. */
export function quoteIdText(id: string): string {
  return quotePrefix + id;
}

/** Returns the uuid of a quote, or null if the text is not exactly what {@link quoteIdText} returns. */
export function parseQuoteId(text: string): string | null {
  const id = text.slice(quotePrefix.length);
  return text.startsWith(quotePrefix) && validate(id) && id === id.toLowerCase() ? id : null;
}

/** Returns when a uuid of version 7 was created, or null for any other uuid. */
export function madeAt(id: string): Date | null {
  return version(id) === 7 ? new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16)) : null;
}
