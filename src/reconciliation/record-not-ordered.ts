// Payouts and conversions that take money from a user's account, and that no row here ordered: neither a lost callback nor a
// retry makes one, so a person finds out who did.

import type { App } from '../app.ts';
import { handleFor } from '../domain/handles.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import type { PayoutDetails, TransferDetails } from '../provider/port.ts';
import { handlesOfUnfinished } from '../queries/unfinished-handles.ts';
import { type NewDiscrepancy, recordDiscrepancy } from '../snapshots/discrepancies.ts';
import { said } from '../snapshots/snapshot-discrepancies.ts';
import { listAccountsByRef } from '../sql/provider-accounts.ts';

type Listed = PayoutDetails | TransferDetails;

/** @param objects without a row here. Those of other customers of the provider are left out, and so is what is merely behind. */
export async function recordNotOrdered(
  { db, clock }: Pick<App, 'db' | 'clock'>,
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

/** A debit that no row here ordered, as a discrepancy. */
export const notOrdered = (snapshot: Listed['snapshot'], state: string): NewDiscrepancy => ({
  kind: 'not_ordered',
  event: said(snapshot, 'not_ordered'),
  state,
  providerRef: snapshot.providerRef,
  fingerprint: snapshot.providerRef,
  snapshotAt: snapshot.updatedAt,
});

/** The accounts of users that they were taken from, by the provider's id. */
async function accountsOf(db: App['db'], objects: Listed[]) {
  const accountRefs = [...new Set(objects.map(({ snapshot }) => snapshot.sourceAccountRef))];
  if (accountRefs.length === 0) return new Map<string | null, never>();
  const rows = await listAccountsByRef(db, { accountRefs });
  return new Map(rows.map((row) => [row.providerAccountId, row]));
}
