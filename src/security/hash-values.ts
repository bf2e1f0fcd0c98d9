// Hashes values that were sealed before a search key was configured, or whose hash is of a former search key.
import { NIL_UUID } from '../domain/ids.ts';
import type { Db } from '../tables/orm.ts';
import { HASHED_PAGE, type HashedColumn, hashedValues, type SearchTerm } from '../tables/search-hashes.ts';
import { contextOf } from './encryption-contexts.ts';
import type { Sealer } from './sealer.ts';
import { accountNumberOf } from './search-hashes.ts';

/** What is hashed of each value, and as which kind of term. Null if the value names nobody. */
const termsOf: Record<HashedColumn, (text: string) => { kind: SearchTerm; text: string } | null> = {
  'users.email_sealed': (text) => ({ kind: 'email', text }),
  'provider_accounts.deposit_instructions_sealed': (text) => ({
    kind: 'account',
    text: accountNumberOf(JSON.parse(text)),
  }),
  // Recovery adopts a payment without a payout with an empty key.
  'pix_payments.pix_key_sealed': (text) => (text === '' ? null : { kind: 'pix-key', text }),
};

/**
 * Hashes page by page under the first search key. It can be interrupted and repeated. A value that is cleared meanwhile gets no hash.
 * @returns how many values this call has hashed. Without a search key, none.
 */
export async function hashValues(
  services: { db: Db; sealer: Sealer },
  { onProgress, signal }: { onProgress?: (hashed: number) => void; signal?: AbortSignal } = {},
): Promise<number> {
  const { tag } = services.sealer.search;
  if (tag === null) return 0;
  let hashed = 0;
  for (const column of Object.keys(hashedValues) as HashedColumn[]) {
    for (let after: string | null = NIL_UUID; after !== null && !signal?.aborted; ) {
      const page = await hashPage(services, column, { after, tag });
      hashed += page.hashed;
      onProgress?.(hashed);
      after = page.next;
    }
  }
  return hashed;
}

/** Hashes one page. `next` is the last id of a full page. */
async function hashPage(
  { db, sealer }: { db: Db; sealer: Sealer },
  column: HashedColumn,
  page: { after: string; tag: Buffer },
): Promise<{ hashed: number; next: string | null }> {
  const { list, set } = hashedValues[column];
  const rows = await list(db, page);
  const fresh: { id: string; userId: string; sealed: Buffer; hash: Buffer }[] = [];
  for (const { id, userId, version, sealed } of rows) {
    if (sealed === null) continue;
    const term = termsOf[column](await sealer.open(contextOf(column, userId, id, version), sealed));
    const hash = term && sealer.search.hashOf(term.kind, term.text);
    if (hash) fresh.push({ id, userId, sealed, hash });
  }
  const next = rows.length === HASHED_PAGE ? (rows.at(-1)?.id ?? null) : null;
  if (fresh.length === 0) return { hashed: 0, next };
  const hashed = await set(db, {
    ids: fresh.map(({ id }) => id),
    userIds: fresh.map(({ userId }) => userId),
    sealed: fresh.map(({ sealed }) => sealed),
    hashes: fresh.map(({ hash }) => hash),
  });
  return { hashed, next };
}
