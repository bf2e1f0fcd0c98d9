// Walks the movements of every home account from where the last walk ended, and records each deposit that no callback told
// of. The cursor is moved page by page, and never beyond a deposit that could not be recorded.

import { count } from '../batch/counters.ts';
import { each, type Page, type Place, type Turn } from '../batch/stage.ts';
import { observe } from '../lifecycle/apply-reported.ts';
import { eventOf } from '../provider/events.ts';
import type { Movement } from '../provider/port.ts';
import { isNotFound, patiently } from '../provider/with-retries.ts';

const ACCOUNTS_AT_ONCE = 50;
const MOVEMENTS_AT_ONCE = 500;
const NOBODY = '00000000-0000-0000-0000-000000000000';

type Account = { id: string; userId: string; ref: string; walkedTo: string | null };

export async function walkDeposits(turn: Turn, { after }: Place): Promise<Page> {
  const accounts = await homeAccounts(turn, after ?? NOBODY);
  await each(
    turn,
    'deposits',
    accounts,
    ({ id }) => id,
    (account) => walk(turn, account),
  );
  count(turn.tally, 'home accounts walked', accounts.length);
  const last = accounts.at(-1);
  return { next: accounts.length < ACCOUNTS_AT_ONCE || last === undefined ? null : { after: last.id } };
}

async function homeAccounts({ app }: Turn, after: string): Promise<Account[]> {
  const rows = await app.db
    .selectFrom('provider_accounts as account')
    .innerJoin('users', (join) =>
      join
        .onRef('users.id', '=', 'account.user_id')
        .onRef('users.home_currency', '=', 'account.currency' as 'users.home_currency'),
    )
    .select([
      'account.id',
      'account.user_id as userId',
      'account.provider_account_id as ref',
      'account.movements_after as walkedTo',
    ])
    .where('account.state', '=', 'active')
    .where('account.id', '>', after)
    .orderBy('account.id')
    .limit(ACCOUNTS_AT_ONCE)
    .execute();
  return rows.flatMap(({ ref, ...account }) => (ref === null ? [] : [{ ...account, ref }]));
}

async function walk(turn: Turn, account: Account): Promise<void> {
  let stored = account.walkedTo;
  for (let from = stored, isEnd = false; !isEnd && !turn.signal?.aborted; ) {
    const { items, next } = await movementsAfter(turn, account, from);
    for (const movement of await unrecorded(turn, items))
      if ((await observe(turn.app, movement, turn.cause)) === 'applied')
        count(turn.tally, 'deposits recorded');
    count(turn.tally, 'movements walked', items.length);
    const last = items.at(-1)?.providerRef;
    if (last !== undefined) {
      await moveCursor(turn, account, stored, last);
      stored = last;
    }
    from = next;
    isEnd = next === null;
  }
}

/** A cursor that the provider does not know leads nowhere: then everything is walked again, and recorded once all the same. */
async function movementsAfter({ app, signal }: Turn, { ref }: Account, after: string | null) {
  const page = (from: string | null) =>
    patiently(() => app.provider.listMovements(ref, { after: from, limit: MOVEMENTS_AT_ONCE }), signal);
  try {
    return await page(after);
  } catch (error) {
    if (after === null || !isNotFound(error)) throw error;
    return page(null);
  }
}

/** The deposits among them that are in nobody's list. */
async function unrecorded({ app }: Turn, movements: Movement[]): Promise<Movement[]> {
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

/** Another process may have walked further meanwhile: its cursor stays. */
async function moveCursor({ app }: Turn, account: Account, from: string | null, to: string): Promise<void> {
  await app.db
    .updateTable('provider_accounts')
    .set({ movements_after: to })
    .where('id', '=', account.id)
    .where('user_id', '=', account.userId)
    .where('movements_after', 'is not distinct from', from)
    .execute();
}
