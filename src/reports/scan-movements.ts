// Scans the movements of one home account, starting where the last scan ended, and records each deposit that no callback reported.
// The cursor advances page by page, and never past a deposit that could not be recorded.

import { eventOf } from '../provider/events.ts';
import { NO_LANDMARK, passLandmark } from '../provider/landmark.ts';
import type { ListPage, Movement, Provider } from '../provider/port.ts';
import { isNotFound } from '../provider/with-retries.ts';
import { listOpenFindings } from '../tables/list-findings/statements.ts';
import type { Db } from '../tables/orm.ts';
import { moveMovementsCursor } from '../tables/provider-accounts/statements.ts';
import type { Entity } from '../tables/rows.ts';
import { listRecordedMovements } from '../tables/transactions/statements.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { type ApplyServices, applyReported } from './apply-reported.ts';
import { endInCircle, recordUnreadable, resolveCircle } from './list-findings.ts';

const PAGE_SIZE = 500;

export type ScannedAccount = Pick<Entity<'ProviderAccount'>, 'id' | 'userId' | 'movementsCursor'> & {
  providerAccountId: string;
};

export type ScanOptions = {
  cause: Cause;
  /** Retries a failed call. Without it, the first failure ends the scan. */
  retry?: <Result>(call: () => Promise<Result>) => Promise<Result>;
  signal?: AbortSignal | undefined;
  /** Increments a counter of the run's report. */
  count?: (what: string, increment?: number) => void;
};

/**
 * Scans the movements of an account and records missing deposits.
 * @throws OutcomeUnknown if a page cannot be fetched, or if a page brings nothing new although the list continues.
 */
export async function scanMovements(
  services: ApplyServices & { provider: Provider },
  account: ScannedAccount,
  { cause, retry = (call) => call(), signal, count = () => undefined }: ScanOptions,
): Promise<void> {
  const { id, userId, providerAccountId } = account;
  const list = { list: 'movements', accountRef: providerAccountId } as const;
  const open = await listOpenFindings(services.db, list);
  let stored = account.movementsCursor;
  let landmark = NO_LANDMARK;
  let hasGap = false;
  for (let from = stored, isEnd = false; !isEnd; ) {
    const page = await pageAfter(services.provider, account, from, retry);
    landmark = passLandmark(landmark, page) ?? (await endInCircle(services, list));
    const unreadable = await recordUnreadable(services, list, { from, page, open });
    for (const movement of await unrecordedDeposits(services, page.items))
      if ((await applyReported(services, movement, cause)) === 'applied') count('deposits recorded');
    count('movements scanned', page.items.length);
    count('objects unreadable', unreadable.open);

    const last = hasGap ? undefined : page.items.slice(0, unreadable.gap ?? undefined).at(-1)?.providerRef;
    if (last !== undefined) await moveMovementsCursor(services.db, { id, userId, from: stored, to: last });
    stored = last ?? stored;
    hasGap ||= unreadable.gap !== null;
    if (signal?.aborted) return;
    from = page.next;
    isEnd = page.next === null;
  }
  await resolveCircle(services, open);
}

/** Fetches a page. If the provider does not know the cursor, the scan starts over: recorded deposits are not recorded again. */
async function pageAfter(
  provider: Provider,
  { providerAccountId }: ScannedAccount,
  after: string | null,
  retry: NonNullable<ScanOptions['retry']>,
): Promise<ListPage<Movement>> {
  const page = (from: string | null) =>
    retry(() => provider.listMovements(providerAccountId, { after: from, limit: PAGE_SIZE }));
  try {
    return await page(after);
  } catch (error) {
    if (after === null || !isNotFound(error)) throw error;
    return page(null);
  }
}

export async function unrecordedDeposits(
  { db, config }: { db: Db; config: { provider: { name: string } } },
  movements: Movement[],
): Promise<Movement[]> {
  const deposits = movements.filter((movement) => eventOf(movement)?.kind === 'deposit.received');
  if (deposits.length === 0) return [];
  const recorded = await listRecordedMovements(db, {
    provider: config.provider.name,
    providerRefs: deposits.map(({ providerRef }) => providerRef),
  });
  const recordedRefs = new Set(recorded.map(({ providerRef }) => providerRef));
  return deposits.filter(({ providerRef }) => !recordedRefs.has(providerRef.toLowerCase()));
}
