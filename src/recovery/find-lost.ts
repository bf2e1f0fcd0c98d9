// Scans the provider's lists from their beginning for objects that no row here ordered or will order.

import { unfinished } from '../../machines/states.ts';
import type { App } from '../app.ts';
import { type HandlePurpose, handleFor } from '../domain/handles.ts';
import { isUuid } from '../domain/ids.ts';
import type { ListPage, ListRequest, PayoutDetails, TransferDetails } from '../provider/port.ts';
import { withRetries } from '../provider/with-retries.ts';
import { type Account, groupOrphans } from './group-orphans.ts';
import type { Orphan, OrphanOptions } from './orphan.ts';
import { orphanOf } from './present.ts';

const PAGE_SIZE = 500;
const purposes: HandlePurpose[] = [
  'conversion-direct',
  'conversion-leg1',
  'conversion-leg2',
  'conversion-reverse',
  'payout',
  'withdraw',
];

/** @throws OutcomeUnknown when a list cannot be fetched. */
export async function findLost(app: App, options: OrphanOptions): Promise<Orphan[]> {
  const { provider } = app;
  const transfers = await withoutRow(app, 'transfers', (page) => provider.listTransfers(page), options);
  const payouts = await withoutRow(app, 'payouts', (page) => provider.listPayouts(page), options);
  const accounts = await accountsAt(app, refsOf(transfers, payouts));
  const behind = await handlesOfUnfinished(app, [
    ...new Set([...accounts.values()].map(({ userId }) => userId)),
  ]);
  const isLost = ({ snapshot }: TransferDetails | PayoutDetails) =>
    !behind.has(snapshot.handle.toLowerCase());
  const known = new Map((options.knownIds ?? []).flatMap(handlesOf));
  const accountOf = (ref: string) => accounts.get(ref);
  const stories = groupOrphans({
    transfers: transfers.filter(isLost),
    payouts: payouts.filter(isLost),
    accountOf,
    idOf: (handle) => known.get(handle.toLowerCase()) ?? null,
  });
  return stories
    .map((story) => orphanOf(story, accountOf))
    .toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

async function withoutRow<Item extends TransferDetails | PayoutDetails>(
  app: App,
  stage: string,
  list: (page: ListRequest) => Promise<ListPage<Item>>,
  { onProgress, signal }: OrphanOptions,
): Promise<Item[]> {
  const lost: Item[] = [];
  let seen = 0;
  for (let after: string | null = null, isEnd = false; !isEnd; ) {
    signal?.throwIfAborted();
    const request: ListRequest = { after, limit: PAGE_SIZE };
    const page: ListPage<Item> = await withRetries(() => list(request), signal);
    const ours = await handlesHere(
      app,
      page.items.map(({ snapshot }) => snapshot.handle),
    );
    lost.push(...page.items.filter(({ snapshot }) => !ours.has(snapshot.handle.toLowerCase())));
    seen += page.items.length;
    onProgress?.({ stage, seen });
    after = page.next;
    isEnd = page.next === null;
  }
  return lost;
}

/** The handles that have a row here. */
export async function handlesHere(app: Pick<App, 'db'>, handles: string[]): Promise<Set<string>> {
  const asked = handles.filter((handle) => isUuid(handle));
  if (asked.length === 0) return new Set();
  const rows = await app.db
    .selectFrom('provider_resources')
    .select('handle')
    .where('handle', 'in', asked)
    .execute();
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

async function accountsAt(app: App, refs: string[]): Promise<Map<string, Account>> {
  const accounts = new Map<string, Account>();
  for (let from = 0; from < refs.length; from += PAGE_SIZE) {
    const rows = await app.db
      .selectFrom('provider_accounts')
      .select(['provider_account_id as ref', 'user_id as userId', 'currency'])
      .where('provider_account_id', 'in', refs.slice(from, from + PAGE_SIZE))
      .execute();
    for (const { ref, ...account } of rows) accounts.set(String(ref), account);
  }
  return accounts;
}

/** Handles of rows that are merely behind: their effects will find them by look-up. */
async function handlesOfUnfinished(app: App, userIds: string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set();
  const rows = await app.db
    .selectFrom('pix_payments')
    .select('id')
    .where('user_id', 'in', userIds)
    .where('state', 'in', unfinished.pix_payment)
    .unionAll((db) =>
      db
        .selectFrom('withdraws')
        .select('id')
        .where('user_id', 'in', userIds)
        .where('state', 'in', unfinished.withdraw),
    )
    .execute();
  return new Set(rows.flatMap(({ id }) => handlesOf(id)).map(([handle]) => handle));
}

const handlesOf = (id: string): [handle: string, id: string][] =>
  purposes.map((purpose) => [handleFor(id, purpose), id]);
