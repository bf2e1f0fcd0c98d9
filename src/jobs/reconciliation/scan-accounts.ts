// Scans the movements of accounts, a few accounts concurrently.

import { withRetries } from '../../provider/with-retries.ts';
import { type ScannedAccount, type ScanOptions, scanMovements } from '../../reports/scan-movements.ts';
import { count } from '../counters.ts';
import { forEach, type StageContext } from '../stage.ts';

/** Returns the accounts whose scan failed. They are counted as not checked. */
export async function scanAccounts(
  context: StageContext,
  accounts: ScannedAccount[],
): Promise<ScannedAccount[]> {
  const { cause, counters, signal } = context;
  const options: ScanOptions = {
    cause,
    signal,
    retry: (call) => withRetries(call, signal),
    count: (what, increment) => count(counters, what, increment),
  };
  const failed = new Set(accounts);
  await forEach(context, 'deposits', accounts, async (account) => {
    await scanMovements(context, account, options);
    failed.delete(account);
  });
  count(counters, 'home accounts scanned', accounts.length);
  return [...failed];
}
