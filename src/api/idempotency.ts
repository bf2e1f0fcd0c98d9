// Idempotency-Key: the same key with the same request gives the original result; with another request it is refused.
// Decided in the transaction that does the work, so that only successes are remembered.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { Refusal } from './errors.ts';

export type KeyedOperation = 'createWithdraw' | 'retryPixPayment' | 'createDataRequest';
export type Keyed = {
  user: { id: string };
  idempotencyKey: string | null;
  body: object | undefined;
  params?: unknown;
};

/**
 * Runs `work` unless the same request was answered under the same key before.
 * @param work returns the id of what it made.
 * @throws Refusal `idempotency_key_reused` when the key came with another request.
 */
export async function idempotent(
  tx: Db,
  operation: KeyedOperation,
  request: Keyed,
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
 * @returns the id of what was made under this key, or null; until the transaction ends, nobody else can use the key.
 * @throws Refusal `idempotency_key_reused`
 */
export async function recall(tx: Db, operation: KeyedOperation, request: Keyed): Promise<string | null> {
  const { user, idempotencyKey: key } = request;
  if (key === null) return null;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${user.id}:${operation}:${key}`}, 0))`.execute(
    tx,
  );
  const before = await tx
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'resource_id'])
    .where('user_id', '=', user.id)
    .where('operation', '=', operation)
    .where('key', '=', key)
    .executeTakeFirst();
  if (!before) return null;
  if (!hashOf(request).equals(before.request_hash)) throw new Refusal('idempotency_key_reused');
  return before.resource_id;
}

/** Keeps what was made for the key, in the same commit. */
export async function remember(
  tx: Db,
  operation: KeyedOperation,
  request: Keyed,
  resourceId: string,
  now: Date,
): Promise<void> {
  const { user, idempotencyKey: key } = request;
  if (key === null) return;
  await tx
    .insertInto('idempotency_keys')
    .values({
      user_id: user.id,
      operation,
      key,
      request_hash: hashOf(request),
      resource_id: resourceId,
      created_at: now,
    })
    .execute();
}

/** Bodies are flat, so with their names in order the same content is the same text, however it was written. */
const hashOf = ({ params, body = {} }: Keyed): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([params ?? null, Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1))]))
    .digest();
