// Records payouts and conversions that take money from a user's account and belong to no row here. Neither a lost callback nor a
// retry can create one, so an operator has to find out where they come from.

import type { Clock } from '../../domain/clock.ts';
import { handleFor } from '../../domain/handles.ts';
import type { PayoutDetails, TransferDetails } from '../../provider/port.ts';
import { describeSnapshot, type NewDiscrepancy, recordDiscrepancy } from '../../reports/discrepancies.ts';
import type { Db } from '../../tables/orm.ts';
import { listAccountsByRef } from '../../tables/provider-accounts/statements.ts';
import type { Cause } from '../../tables/transitions/entity.ts';
import { handlesOfUnfinished } from './unfinished-handles.ts';

type Listed = PayoutDetails | TransferDetails;

/**
 * Records a `not_ordered` discrepancy for each object that debits a user's account. Objects of other customers of the provider are
 * skipped. So are objects whose handle an unfinished row here will use: that row is only behind.
 * @param objects objects without a resource row here.
 */
export async function recordNotOrdered(
  { db, clock }: { db: Db; clock: Clock },
  objects: Listed[],
  cause: Cause,
): Promise<void> {
  const accounts = await accountsOf(db, objects);
  const behind = await handlesOfUnfinished(
    db,
    [...accounts.values()].map(({ userId }) => userId),
  );
  for (const { snapshot } of objects) {
    const account = accounts.get(snapshot.sourceAccountRef);
    if (account === undefined || behind.has(snapshot.handle.toLowerCase())) continue;
    const { id: subjectId, userId, currency, state } = account;
    const handle = handleFor(userId, `account-${currency}`);
    const subject = { userId, subjectKind: 'provider_account', subjectId, handle } as const;
    await recordDiscrepancy(db, subject, notOrdered(snapshot, state), cause, clock.now());
  }
}

/** The discrepancy of a debit that belongs to no row here. */
export const notOrdered = (snapshot: Listed['snapshot'], state: string): NewDiscrepancy => ({
  kind: 'not_ordered',
  event: describeSnapshot(snapshot, 'not_ordered'),
  state,
  providerRef: snapshot.providerRef,
  fingerprint: snapshot.providerRef,
  snapshotAt: snapshot.updatedAt,
});

async function accountsOf(db: Db, objects: Listed[]) {
  const accountRefs = [...new Set(objects.map(({ snapshot }) => snapshot.sourceAccountRef))];
  if (accountRefs.length === 0) return new Map<string | null, never>();
  const rows = await listAccountsByRef(db, { accountRefs });
  return new Map(rows.map((row) => [row.providerAccountId, row]));
}
