// Idempotency-Key: the same key with the same request gives the original result; with another request it is refused.
// Decided in the transaction that does the work, so that only successes are remembered.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Db } from '../database/orm.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { findIdempotencyKey, insertIdempotencyKey, lockIdempotencyKey } from '../sql/idempotency-keys.ts';

export type KeyedOperation = 'createWithdraw' | 'retryPixPayment' | 'createDataRequest';
export type Keyed = {
  user: { id: string };
  idempotencyKey: string | null;
  body: object | undefined;
  params?: unknown;
};
/** With what is kept of it. */
export type Hashed = Keyed & { requestHash: Buffer | null };

/** In front of a hash, says how it was made. Older ones were SHA-256, which is told by its length. */
const HMAC_SHA256 = 1;
const SHA256_BYTES = 32;

/**
 * A request's hash, under its user's key: an amount or a type could be found out from a plain one by trying. The key is the
 * user's for as long as there is anything of theirs, also when secrets are replaced meanwhile. Loading it may take a
 * connection, so this comes before the transaction.
 */
export async function hashed<Request extends Keyed>(
  sealer: Sealer,
  request: Request,
): Promise<Request & Hashed> {
  if (request.idempotencyKey === null) return { ...request, requestHash: null };
  const hash = await sealer.fingerprint(request.user.id, 'idempotency', textOf(request));
  return { ...request, requestHash: Buffer.concat([Buffer.of(HMAC_SHA256), hash]) };
}

/**
 * Runs `work` unless the same request was answered under the same key before.
 * @param work returns the id of what it made.
 * @throws Refusal `idempotency_key_reused` when the key came with another request.
 */
export async function idempotent(
  tx: Db,
  operation: KeyedOperation,
  request: Hashed,
  now: Date,
  work: () => Promise<string>,
): Promise<{ resourceId: string; replayed: boolean }> {
  const original = await recall(tx, operation, request);
  if (original !== null) return { resourceId: original, replayed: true };
  const resourceId = await work();
  await remember(tx, operation, request, resourceId, now);
  return { resourceId, replayed: false };
}

/**
 * @returns the id of what was made under this key, or null; until the transaction ends, no other request can use the key.
 * @throws Refusal `idempotency_key_reused`
 */
export async function recall(tx: Db, operation: KeyedOperation, request: Hashed): Promise<string | null> {
  const { user, idempotencyKey: key } = request;
  if (key === null) return null;
  await lockIdempotencyKey(tx, { lockName: `${user.id}:${operation}:${key}` });
  const before = await findIdempotencyKey(tx, { userId: user.id, operation, key });
  if (!before) return null;
  if (!isSame(request, before.requestHash)) throw new Refusal('idempotency_key_reused');
  return before.resourceId;
}

/** Keeps what was made for the key, in the same commit. */
export async function remember(
  tx: Db,
  operation: KeyedOperation,
  request: Hashed,
  resourceId: string,
  now: Date,
): Promise<void> {
  const { user, idempotencyKey: key, requestHash } = request;
  if (key === null || requestHash === null) return;
  await insertIdempotencyKey(tx, {
    userId: user.id,
    operation,
    key,
    requestHash,
    resourceId,
    createdAt: now,
  });
}

function isSame(request: Hashed, kept: Uint8Array): boolean {
  const hash =
    kept.length === SHA256_BYTES
      ? createHash('sha256').update(textOf(request)).digest()
      : request.requestHash;
  return hash !== null && hash.length === kept.length && timingSafeEqual(hash, kept);
}

/** Bodies are flat, so with their names in order the same content is the same text, however it was written. */
const textOf = ({ params, body = {} }: Keyed): string =>
  JSON.stringify([params ?? null, Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
