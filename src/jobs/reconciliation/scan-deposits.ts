// Scans the movements of home accounts and records each deposit that no callback reported. A run by hand scans every account. A night
// does so only if the provider has no list of all accounts' movements. Otherwise each night plans slices of a share of the accounts.

import { NIL_UUID } from '../../domain/ids.ts';
import { listHomeAccounts } from '../../tables/provider-accounts/statements.ts';
import { findCursor } from '../../tables/provider-cursors/statements.ts';
import { nextAfter, type PagePosition, type PageResult, type StageContext } from '../stage.ts';
import { planAccounts } from './account-slices.ts';
import { scanAccounts } from './scan-accounts.ts';
import { ACCOUNTS_OF_A_PAGE, isPlannedAhead } from './windows.ts';

/** If the last window of movements is older than this, every account is scanned. */
const WINDOW_AGE_LIMIT_MS = 26 * 60 * 60_000;

export async function scanDeposits(context: StageContext, { after }: PagePosition): Promise<PageResult> {
  if (after === null && context.isNight && (await hasRecentWindow(context))) return planAccounts(context);
  const page = { after: after ?? NIL_UUID, limit: ACCOUNTS_OF_A_PAGE };
  const accounts = await listHomeAccounts(context.db, page);
  await scanAccounts(context, accounts);
  return { next: nextAfter(accounts, ACCOUNTS_OF_A_PAGE, ({ id }) => id) };
}

/** A window that ends later than now was planned by a clock that was ahead, so it says nothing. */
async function hasRecentWindow({ db, now }: StageContext): Promise<boolean> {
  const plannedTo = (await findCursor(db, { list: 'movements' }))?.plannedTo ?? null;
  if (plannedTo === null || isPlannedAhead(plannedTo, now)) return false;
  return now.plus(-WINDOW_AGE_LIMIT_MS).isBefore(plannedTo);
}
