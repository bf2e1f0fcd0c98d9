// Finds users who have a row but whose verification or home currency was lost. Their objects at the provider are found by the handles
// derived from their id. Users whose own row was lost cannot be found.

import type { HomeCurrency } from '../../src/domain/currency.ts';
import { handleFor } from '../../src/domain/handles.ts';
import { NIL_UUID } from '../../src/domain/ids.ts';
import type { AccountSnapshot, OwnerSnapshot, Provider } from '../../src/provider/port.ts';
import { withRetries } from '../../src/provider/with-retries.ts';
import type { Db } from '../../src/tables/orm.ts';
import { listIncompleteUsers } from '../../src/tables/users/statements.ts';
import type { Orphan, OrphanOptions } from './orphan.ts';

const CONCURRENCY = 10;
const homeCurrencies: HomeCurrency[] = ['GBP', 'EUR'];

type Incomplete = Awaited<ReturnType<typeof listIncompleteUsers>>[number];

export async function* findUnverified(
  { db, provider }: { db: Db; provider: Provider },
  { onProgress, signal }: OrphanOptions,
): AsyncGenerator<Orphan> {
  let objects = 0;
  for (let after = NIL_UUID, isEnd = false; !isEnd; ) {
    signal?.throwIfAborted();
    const users = await listIncompleteUsers(db, { after, limit: CONCURRENCY });
    const found = await Promise.all(users.map((user) => belongingsOf(provider, user, signal)));
    yield* found.flat();
    objects += users.length;
    onProgress?.({ stage: 'users not verified', objects });
    after = users.at(-1)?.id ?? after;
    isEnd = users.length < CONCURRENCY;
  }
}

async function belongingsOf(
  provider: Provider,
  { id, kycId, homeCurrency }: Incomplete,
  signal: AbortSignal | undefined,
): Promise<Orphan[]> {
  const found: (OwnerSnapshot | AccountSnapshot | null)[] = [];
  if (kycId === null) found.push(await withRetries(() => provider.findOwner(handleFor(id, 'owner')), signal));
  for (const currency of homeCurrency === null ? homeCurrencies : [])
    found.push(await withRetries(() => provider.findAccount(handleFor(id, `account-${currency}`)), signal));
  return found.filter((snapshot) => snapshot !== null).map((snapshot) => orphanOf(id, snapshot));
}

function orphanOf(userId: string, snapshot: OwnerSnapshot | AccountSnapshot): Orphan {
  const { kind, providerRef, handle, updatedAt, status } = snapshot;
  const purpose = snapshot.kind === 'account' ? snapshot.currency : 'verification';
  return {
    kind: kind === 'account' ? 'home_account' : 'owner',
    providerRef,
    handle,
    at: updatedAt,
    amountMinor: null,
    currency: null,
    parts: [{ kind, purpose, providerRef, handle, status }],
    match: { userId, id: userId, becomes: 'restored', why: null },
  };
}
