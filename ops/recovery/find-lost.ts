// Scans the provider's lists from their beginning for lost objects: those that have no row here and that no unfinished row will
// request.

import { isUuid, paymentIdOf } from '../../src/domain/ids.ts';
import { handlesOf, handlesOfUnfinished } from '../../src/jobs/reconciliation/unfinished-handles.ts';
import { type Landmark, NO_LANDMARK, passLandmark } from '../../src/provider/landmark.ts';
import type {
  ListPage,
  ListRequest,
  PayoutDetails,
  Provider,
  TransferDetails,
} from '../../src/provider/port.ts';
import { withRetries } from '../../src/provider/with-retries.ts';
import type { Db } from '../../src/tables/orm.ts';
import { listUnusedQuotes } from '../../src/tables/pix-quotes/statements.ts';
import { listAccountsByRef } from '../../src/tables/provider-accounts/statements.ts';
import { listNamedHandles } from '../../src/tables/provider-resources/statements.ts';
import { type Account, groupOrphans } from './group-orphans.ts';
import type { Orphan, OrphanOptions, Unlisted } from './orphan.ts';
import { orphanOf } from './present.ts';

const PAGE_SIZE = 500;

/**
 * Finds the lost payments and withdrawals, oldest first.
 * @throws OutcomeUnknown if a list cannot be fetched.
 */
export async function findLost(
  { db, provider }: { db: Db; provider: Provider },
  options: OrphanOptions,
): Promise<Orphan[]> {
  const transfers = await withoutRow(db, 'transfers', (page) => provider.listTransfers(page), options);
  const payouts = await withoutRow(db, 'payouts', (page) => provider.listPayouts(page), options);
  const accounts = await accountsAt(db, refsOf(transfers, payouts));
  const userIds = [...new Set([...accounts.values()].map(({ userId }) => userId))];
  const behind = await handlesOfUnfinished(db, userIds);
  const isLost = ({ snapshot }: TransferDetails | PayoutDetails) =>
    !behind.has(snapshot.handle.toLowerCase());
  // A payment that was confirmed shortly before still has its quote here, and its id derives from that.
  const quotes = await listUnusedQuotes(db, { userIds });
  const ids = [...(options.knownIds ?? []), ...quotes.map(({ id }) => paymentIdOf(id))];
  const knownIds = new Map(ids.flatMap(handlesOf));
  const accountOf = (ref: string) => accounts.get(ref);
  const groups = groupOrphans({
    transfers: transfers.filter(isLost),
    payouts: payouts.filter(isLost),
    accountOf,
    idOf: (handle) => knownIds.get(handle.toLowerCase()) ?? null,
  });
  return groups
    .map((group) => orphanOf(group, accountOf))
    .toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

async function withoutRow<Item extends TransferDetails | PayoutDetails>(
  db: Db,
  stage: Unlisted['list'],
  list: (page: ListRequest) => Promise<ListPage<Item>>,
  { onProgress, onUnlisted, signal }: OrphanOptions,
): Promise<Item[]> {
  const lost = new Map<string, Item>();
  let objects = 0;
  let after: string | null = null;
  for (let landmark: Landmark | null = NO_LANDMARK; landmark !== null; ) {
    signal?.throwIfAborted();
    const request: ListRequest = { after, limit: PAGE_SIZE };
    const page: ListPage<Item> = await withRetries(() => list(request), signal);
    for (const { providerRef, why } of page.unreadable) onUnlisted?.({ list: stage, providerRef, why });
    const handles = page.items.map(({ snapshot }) => snapshot.handle);
    const ours = await handlesHere(db, handles);
    for (const item of page.items)
      if (!ours.has(item.snapshot.handle.toLowerCase())) lost.set(item.snapshot.providerRef, item);
    objects += page.items.length;
    onProgress?.({ stage, objects });
    after = page.next;
    if (after === null) break;
    landmark = passLandmark(landmark, page);
    if (landmark === null)
      onUnlisted?.({
        list: stage,
        providerRef: null,
        why: 'the rest of the list, because its cursors form a circle',
      });
  }
  return [...lost.values()];
}

export async function handlesHere(db: Db, handles: string[]): Promise<Set<string>> {
  const uuids = handles.filter((handle) => isUuid(handle));
  if (uuids.length === 0) return new Set();
  const rows = await listNamedHandles(db, { handles: uuids });
  return new Set(rows.map(({ handle }) => handle));
}

const refsOf = (transfers: TransferDetails[], payouts: PayoutDetails[]): string[] => [
  ...new Set([
    ...transfers.flatMap(({ snapshot: { sourceAccountRef, destinationAccountRef } }) => [
      sourceAccountRef,
      destinationAccountRef,
    ]),
    ...payouts.map(({ snapshot: { sourceAccountRef } }) => sourceAccountRef),
  ]),
];

async function accountsAt(db: Db, refs: string[]): Promise<Map<string, Account>> {
  const accounts = new Map<string, Account>();
  for (let from = 0; from < refs.length; from += PAGE_SIZE) {
    const rows = await listAccountsByRef(db, { accountRefs: refs.slice(from, from + PAGE_SIZE) });
    for (const { providerAccountId, userId, currency } of rows)
      accounts.set(String(providerAccountId), { userId, currency });
  }
  return accounts;
}
