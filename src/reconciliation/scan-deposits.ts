// Scans the movements of every home account from where the last scan ended, and records each deposit that no callback
// reported. The cursor advances page by page, and never past a deposit that could not be recorded.

import { type SqlBool, sql } from 'kysely';
import { count } from '../batch/counters.ts';
import { forEach, nextAfter, type PagePosition, type PageResult, type StageContext } from '../batch/stage.ts';
import { NIL_UUID } from '../domain/ids.ts';
import { eventOf } from '../provider/events.ts';
import type { Movement } from '../provider/port.ts';
import { isNotFound, withRetries } from '../provider/with-retries.ts';
import { applyReported } from '../snapshots/apply-reported.ts';

const ACCOUNTS_PAGE_SIZE = 50;
const MOVEMENTS_PAGE_SIZE = 500;

type Account = { id: string; userId: string; ref: string; scannedTo: string | null };

export async function scanDeposits(context: StageContext, { after }: PagePosition): Promise<PageResult> {
  const accounts = await homeAccounts(context, after ?? NIL_UUID);
  await forEach(
    context,
    'deposits',
    accounts,
    ({ id }) => id,
    (account) => walk(context, account),
  );
  count(context.counters, 'home accounts scanned', accounts.length);
  return { next: nextAfter(accounts, ACCOUNTS_PAGE_SIZE, ({ id }) => id) };
}

async function homeAccounts({ app }: StageContext, after: string): Promise<Account[]> {
  const rows = await app.db
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
    .where('account.state', '=', 'active')
    .where('account.id', '>', after)
    .orderBy('account.id')
    .limit(ACCOUNTS_PAGE_SIZE)
    .execute();
  return rows.flatMap(({ ref, ...account }) => (ref === null ? [] : [{ ...account, ref }]));
}

async function walk(context: StageContext, account: Account): Promise<void> {
  let stored = account.scannedTo;
  for (let from = stored, isEnd = false; !isEnd && !context.signal?.aborted; ) {
    const { items, next } = await movementsCursor(context, account, from);
    for (const movement of await unrecorded(context, items))
      if ((await applyReported(context.app, movement, context.cause)) === 'applied')
        count(context.counters, 'deposits recorded');
    count(context.counters, 'movements scanned', items.length);
    const last = items.at(-1)?.providerRef;
    if (last !== undefined) {
      await moveCursor(context, account, stored, last);
      stored = last;
    }
    from = next;
    isEnd = next === null;
  }
}

/** A cursor that the provider does not know: then everything is scanned again, and recorded only once nevertheless. */
async function movementsCursor({ app, signal }: StageContext, { ref }: Account, after: string | null) {
  const page = (from: string | null) =>
    withRetries(() => app.provider.listMovements(ref, { after: from, limit: MOVEMENTS_PAGE_SIZE }), signal);
  try {
    return await page(after);
  } catch (error) {
    if (after === null || !isNotFound(error)) throw error;
    return page(null);
  }
}

/** The deposits among them that no transaction records. */
async function unrecorded({ app }: StageContext, movements: Movement[]): Promise<Movement[]> {
  const deposits = movements.filter((movement) => eventOf(movement)?.kind === 'deposit.received');
  if (deposits.length === 0) return [];
  const recorded = await app.db
    .selectFrom('transactions')
    .select('provider_ref')
    .where('provider', '=', app.config.provider.name)
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
  { app }: StageContext,
  account: Account,
  from: string | null,
  to: string,
): Promise<void> {
  await app.db
    .updateTable('provider_accounts')
    .set({ movements_cursor: to })
    .where('id', '=', account.id)
    .where('user_id', '=', account.userId)
    .where('movements_cursor', 'is not distinct from', from)
    .execute();
}
