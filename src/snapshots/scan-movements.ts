// Scans the movements of one home account from where the last scan ended, and records each deposit that no callback
// reported. The cursor advances page by page, and never past a deposit that could not be recorded.
import { type SqlBool, sql } from 'kysely';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { eventOf } from '../provider/events.ts';
import { NO_LANDMARK, passLandmark } from '../provider/landmark.ts';
import type { ListPage, Movement } from '../provider/port.ts';
import { isNotFound } from '../provider/with-retries.ts';
import { applyReported } from './apply-reported.ts';
import { endInCircle, openFindings, recordUnreadable, resolveCircle } from './list-findings.ts';

const PAGE_SIZE = 500;

/** `ref`: the provider's id of the account. `scannedTo`: of the last movement that was scanned. */
export type ScannedAccount = { id: string; userId: string; ref: string; scannedTo: string | null };

export type ScanOptions = {
  cause: Cause;
  /** Repeats a call that fails; without it, the first failure ends the scan. */
  retry?: <Result>(call: () => Promise<Result>) => Promise<Result>;
  signal?: AbortSignal | undefined;
  /** Adds to the counts of what was done. */
  count?: (what: string, many?: number) => void;
};

/** @throws OutcomeUnknown when a page cannot be fetched or brings nothing new. */
export async function scanMovements(
  app: App,
  account: ScannedAccount,
  { cause, retry = (call) => call(), signal, count = () => undefined }: ScanOptions,
): Promise<void> {
  const list = { list: 'movements', accountRef: account.ref } as const;
  const open = await openFindings(app, list);
  let stored = account.scannedTo;
  let landmark = NO_LANDMARK;
  let hasGap = false;
  for (let from = stored, isEnd = false; !isEnd; ) {
    const page = await pageAfter(app, account, from, retry);
    landmark = passLandmark(landmark, page) ?? (await endInCircle(app, list));
    const unreadable = await recordUnreadable(app, list, { from, page, open });
    for (const movement of await unrecorded(app, page.items))
      if ((await applyReported(app, movement, cause)) === 'applied') count('deposits recorded');
    count('movements scanned', page.items.length);
    count('objects unreadable', unreadable.open);

    const last = hasGap ? undefined : page.items.slice(0, unreadable.gap ?? undefined).at(-1)?.providerRef;
    if (last !== undefined) await moveCursor(app, account, stored, last);
    stored = last ?? stored;
    hasGap ||= unreadable.gap !== null;
    if (signal?.aborted) return;
    from = page.next;
    isEnd = page.next === null;
  }
  await resolveCircle(app, open);
}

/** A cursor that the provider does not know: then everything is scanned again, and recorded only once nevertheless. */
async function pageAfter(
  { provider }: App,
  { ref }: ScannedAccount,
  after: string | null,
  retry: NonNullable<ScanOptions['retry']>,
): Promise<ListPage<Movement>> {
  const page = (from: string | null) =>
    retry(() => provider.listMovements(ref, { after: from, limit: PAGE_SIZE }));
  try {
    return await page(after);
  } catch (error) {
    if (after === null || !isNotFound(error)) throw error;
    return page(null);
  }
}

/** The deposits among them that no transaction records. */
async function unrecorded({ db, config }: App, movements: Movement[]): Promise<Movement[]> {
  const deposits = movements.filter((movement) => eventOf(movement)?.kind === 'deposit.received');
  if (deposits.length === 0) return [];
  const recorded = await db
    .selectFrom('transactions')
    .select('provider_ref')
    .where('provider', '=', config.provider.name)
    .where(
      'provider_ref',
      'in',
      deposits.map(({ providerRef }) => providerRef),
    )
    .execute();
  const known = new Set(recorded.map(({ provider_ref }) => provider_ref));
  return deposits.filter(({ providerRef }) => !known.has(providerRef.toLowerCase()));
}

/** Another process may have scanned further meanwhile: its cursor stays. */
async function moveCursor(
  { db }: App,
  { id, userId }: ScannedAccount,
  from: string | null,
  to: string,
): Promise<void> {
  await db
    .updateTable('provider_accounts')
    .set({ movements_cursor: to })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('movements_cursor', 'is not distinct from', from)
    .execute();
}

/** The accounts in their owners' home currencies, as far as they are active: only they receive deposits. */
export async function homeAccounts(
  db: Db,
  { after, limit }: { after: string; limit: number },
): Promise<ScannedAccount[]> {
  const rows = await selectHomeAccounts(db)
    .where('account.id', '>', after)
    .orderBy('account.id')
    .limit(limit)
    .execute();
  return rows.flatMap(scannedAccount);
}

export async function homeAccount(db: Db, id: string): Promise<ScannedAccount | undefined> {
  const rows = await selectHomeAccounts(db).where('account.id', '=', id).execute();
  return rows.flatMap(scannedAccount)[0];
}

const selectHomeAccounts = (db: Db) =>
  db
    .selectFrom('provider_accounts as account')
    .innerJoin('users', (join) =>
      join
        .onRef('users.id', '=', 'account.user_id')
        .on(sql<SqlBool>`account.currency = users.home_currency::text::currency`),
    )
    .select([
      'account.id',
      'account.user_id as userId',
      'account.provider_account_id as ref',
      'account.movements_cursor as scannedTo',
    ])
    .where('account.state', '=', 'active');

const scannedAccount = ({ ref, ...account }: Omit<ScannedAccount, 'ref'> & { ref: string | null }) =>
  ref === null ? [] : [{ ...account, ref }];
