// Handles the Idempotency-Key: the same key with the same request returns the original result, and with another request it is
// refused. The check runs in the transaction that does the work, so only successes are remembered.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { operations } from '../../openapi/generated/openapi.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Sealer } from '../security/sealer.ts';
import {
  findIdempotencyKey,
  insertIdempotencyKey,
  lockIdempotencyKey,
} from '../tables/idempotency-keys/statements.ts';
import type { Db } from '../tables/orm.ts';

/** The operations that take an `Idempotency-Key`, as the contract says. */
type KeyedOperation = {
  [Id in keyof operations]: 'Idempotency-Key' extends keyof NonNullable<
    operations[Id]['parameters']['header']
  >
    ? Id
    : never;
}[keyof operations];
export type Keyed = {
  user: { id: string };
  idempotencyKey: string | null;
  body: object | undefined;
  params?: unknown;
};
/** A request with the hash that is stored for it; null if it has no key. */
export type Hashed = Keyed & { requestHash: Buffer | null };

/**
 * The first byte of a stored hash, which names its method. Earlier versions stored plain SHA-256 without this byte, so
 * their hashes are one byte shorter.
 */
const HMAC_SHA256 = 1;
const SHA256_BYTES = 32;

/**
 * Hashes a request under a key of its user. An amount or a type could be found from an unkeyed hash by trying all values. The
 * key exists as long as the user's data, even if secrets are replaced meanwhile. Loading it may take a database connection, so
 * run this before the transaction.
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
 * Runs `work`, unless the same request succeeded under the same key before.
 * @param work returns the id of what it created.
 * @throws Refusal `idempotency_key_reused` if the key came with another request.
 */
export async function idempotent(
  tx: Db,
  operation: KeyedOperation,
  request: Hashed,
  work: () => Promise<string>,
): Promise<{ resourceId: string; replayed: boolean }> {
  const original = await recall(tx, operation, request);
  if (original !== null) return { resourceId: original, replayed: true };
  const resourceId = await work();
  await remember(tx, operation, request, resourceId);
  return { resourceId, replayed: false };
}

/**
 * Returns the id of what was created under this key, or null. Until the transaction ends, no other request can use the key.
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

/** Stores the id of what was created under the key, in the same commit. */
export async function remember(
  tx: Db,
  operation: KeyedOperation,
  request: Hashed,
  resourceId: string,
): Promise<void> {
  const { user, idempotencyKey: key, requestHash } = request;
  if (key === null || requestHash === null) return;
  await insertIdempotencyKey(tx, {
    userId: user.id,
    operation,
    key,
    requestHash,
    resourceId,
  });
}

function isSame(request: Hashed, kept: Uint8Array): boolean {
  const hash =
    kept.length === SHA256_BYTES
      ? createHash('sha256').update(textOf(request)).digest()
      : request.requestHash;
  return hash !== null && hash.length === kept.length && timingSafeEqual(hash, kept);
}

/** Returns one text for equal requests. Bodies are flat, so sorting their properties by name is sufficient. */
const textOf = ({ params, body = {} }: Keyed): string =>
  JSON.stringify([params ?? null, Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
