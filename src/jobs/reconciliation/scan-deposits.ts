// Scans the movements of every home account and records each deposit that no callback reported.

import { NIL_UUID } from '../../domain/ids.ts';
import { listHomeAccounts } from '../../platform/sql/provider-accounts.ts';
import { withRetries } from '../../provider/with-retries.ts';
import { type ScanOptions, scanMovements } from '../../reports/scan-movements.ts';
import { count } from '../counters.ts';
import { forEach, nextAfter, type PagePosition, type PageResult, type StageContext } from '../stage.ts';

const PAGE_SIZE = 50;

export async function scanDeposits(context: StageContext, { after }: PagePosition): Promise<PageResult> {
  const { db, cause, counters, signal } = context;
  const options: ScanOptions = {
    cause,
    signal,
    retry: (call) => withRetries(call, signal),
    count: (what, many) => count(counters, what, many),
  };
  const accounts = await listHomeAccounts(db, { after: after ?? NIL_UUID, limit: PAGE_SIZE });
  await forEach(
    context,
    'deposits',
    accounts,
    ({ id }) => id,
    (account) => scanMovements(context, account, options),
  );
  count(counters, 'home accounts scanned', accounts.length);
  return { next: nextAfter(accounts, PAGE_SIZE, ({ id }) => id) };
}
