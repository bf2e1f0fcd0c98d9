// Rewraps data keys: keys that a former master key wraps are wrapped by the first one. Sealed values do not change. Running
// services are not affected if they are configured with both master keys.
import { createSecretKey, type KeyObject } from 'node:crypto';
import { inDbTransaction } from '../platform/database/db-transaction.ts';
import { countKeysByMaster, listKeysOfMaster, replaceWrappedKeys } from '../tables/data-keys/statements.ts';
import type { Db } from '../tables/orm.ts';
import { dataKeyContext, type MasterKey } from './data-keys.ts';
import { openWith, sealWith } from './envelope.ts';

const PAGE_SIZE = 1_000;

/** Thrown if master keys that are not configured wrap some data keys, because these cannot be rewrapped. */
export class MasterKeyMissing extends Error {
  readonly ids: string[];

  constructor(ids: string[]) {
    super(`master keys that are not configured wrap data keys: ${ids.join(', ')}`);
    this.name = 'MasterKeyMissing';
    this.ids = ids;
  }
}

/**
 * Rewraps page by page. It can be interrupted and repeated. Two processes that run it share the work.
 * @param masterKeys the first one wraps.
 * @returns how many data keys this call has rewrapped.
 * @throws MasterKeyMissing before anything is changed.
 */
export async function rewrapDataKeys(
  db: Db,
  masterKeys: MasterKey[],
  { onProgress, signal }: { onProgress?: (rewrapped: number) => void; signal?: AbortSignal } = {},
): Promise<number> {
  // Key objects, because wrapping with the bare bytes takes four times as long.
  const [first, ...formers] = masterKeys.map(({ id, key }) => ({ id, key: createSecretKey(key) }));
  if (first === undefined) throw new Error('no master key');
  const configuredIds = new Set(masterKeys.map(({ id }) => id));
  const missing = (await countKeysByMaster(db, {})).filter(
    ({ masterKeyId }) => !configuredIds.has(masterKeyId),
  );
  if (missing.length > 0) throw new MasterKeyMissing(missing.map(({ masterKeyId }) => masterKeyId));

  let rewrapped = 0;
  for (const former of formers) {
    // Each page continues after the last key of the one before it. Starting from the beginning would pass the dead entries that
    // rewrapped rows leave in the index for a while.
    let after = '';
    for (let isDone = false; !isDone && !signal?.aborted; ) {
      const page = await rewrapPage(db, former, first, after);
      isDone = page.last === null && after === '';
      after = page.last ?? '';
      rewrapped += page.rewrapped;
      onProgress?.(rewrapped);
    }
  }
  return rewrapped;
}

type OpenKey = { id: string; key: KeyObject };

/** Rewraps one page. `last` is its last scope; null if the page is empty. Keys that another process has rewrapped meanwhile stay. */
async function rewrapPage(
  db: Db,
  former: OpenKey,
  first: OpenKey,
  after: string,
): Promise<{ rewrapped: number; last: string | null }> {
  const page = await listKeysOfMaster(db, { masterKeyId: former.id, after, limit: PAGE_SIZE });
  if (page.length === 0) return { rewrapped: 0, last: null };
  const wrappedKeys = page.map(({ scope, wrappedKey }) => {
    const context = dataKeyContext(scope);
    return sealWith(first.key, context, openWith(former.key, context, wrappedKey));
  });
  const scopes = page.map(({ scope }) => scope);
  const replaced = { formerId: former.id, masterKeyId: first.id, scopes, wrappedKeys };
  const rewrapped = await inDbTransaction(db, (tx) => replaceWrappedKeys(tx, replaced));
  return { rewrapped, last: scopes.at(-1) ?? null };
}
