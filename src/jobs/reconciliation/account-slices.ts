// Slices of the home accounts. Each night scans a share of all accounts, and processes work on its slices concurrently.

import { NIL_UUID } from '../../domain/ids.ts';
import type { DatabaseTime } from '../../platform/database/database-time.ts';
import { OutcomeUnknown } from '../../provider/errors.ts';
import type { Db } from '../../tables/orm.ts';
import {
  countHomeAccounts,
  listAccountRanges,
  listHomeAccountsOfRange,
} from '../../tables/provider-accounts/statements.ts';
import { findCursor, moveCursor } from '../../tables/provider-cursors/statements.ts';
import { nextAfter, type PagePosition, type PageResult, type StageContext } from '../stage.ts';
import { scanAccounts } from './scan-accounts.ts';
import { insertSlice, REPEATED_AFTER_MS } from './slices.ts';
import { ACCOUNTS_OF_A_PAGE, shareOfNight } from './windows.ts';

/** The first word of the name of such a slice. */
export const ACCOUNTS = 'accounts';

/**
 * Plans the slices of this night's share. The stored cursor continues after the last planned account. After the newest account it
 * begins with the oldest, so no account is left out.
 */
export async function planAccounts({ db, now }: StageContext): Promise<PageResult> {
  const share = shareOfNight((await countHomeAccounts(db, {}))?.accounts ?? 0);
  const after = (await findCursor(db, { list: 'accounts' }))?.after ?? NIL_UUID;
  const ranges = await listAccountRanges(db, { after, limit: share.accounts, perRange: share.perSlice });
  const planned = ranges.reduce((sum, { accounts }) => sum + accounts, 0);
  const last = planned < share.accounts ? null : (ranges.at(-1)?.last ?? null);
  return {
    next: null,
    commit: async (tx: Db) => {
      for (const range of ranges) await insertSlice(tx, sliceOf(range, now));
      await moveCursor(tx, { list: 'accounts', after: last, now });
    },
  };
}

/**
 * Scans a page of a slice. An account that fails becomes a slice of its own, so the accounts after it do not wait for it.
 * @throws OutcomeUnknown if no account of the page could be scanned. The page is then repeated.
 */
export async function scanAccountSlice(
  context: StageContext,
  { after, last = '' }: PagePosition,
): Promise<PageResult> {
  const [, first = ''] = context.run.split(' ');
  const limit = ACCOUNTS_OF_A_PAGE;
  const accounts = await listHomeAccountsOfRange(context.db, {
    first,
    last,
    after: after ?? NIL_UUID,
    limit,
  });
  const failed = await scanAccounts(context, accounts);
  if (failed.length > 0 && failed.length === accounts.length)
    throw new OutcomeUnknown('listMovements', 'no account of the page could be scanned');
  const next = nextAfter(accounts, limit, ({ id }) => id);
  return {
    next: next && { ...next, last },
    commit: async (tx: Db) => {
      for (const { id } of failed)
        await insertSlice(tx, {
          ...sliceOf({ first: id, last: id }, context.now),
          dueInMs: REPEATED_AFTER_MS,
        });
    },
  };
}

/** The name has the time of the plan, because a slice with the same first account is planned again a week later. */
const sliceOf = ({ first, last }: { first: string; last: string }, now: DatabaseTime) => ({
  run: `${ACCOUNTS} ${first} ${now.toDate().getTime()}`,
  page: { after: null, last },
});
