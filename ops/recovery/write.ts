// Writes that every adoption makes in its commit: a check that the objects were not adopted before, and the resources by which later
// events find the row.

import type { Clock } from '../../src/domain/clock.ts';
import { invalidateBalance } from '../../src/ledger/invalidate.ts';
import { eventOf } from '../../src/provider/events.ts';
import { appliedColumns } from '../../src/reports/recency.ts';
import { snapshotColumnsOf } from '../../src/reports/snapshot-columns.ts';
import type { Sealer } from '../../src/security/sealer.ts';
import type { Db } from '../../src/tables/orm.ts';
import { insertAdoptedResource } from '../../src/tables/provider-resources/statements.ts';
import type { Entity } from '../../src/tables/rows.ts';
import { lockUserRow } from '../../src/tables/users/statements.ts';
import { handlesHere } from './find-lost.ts';
import type { Part } from './group-orphans.ts';

type Subject = Pick<Entity<'ProviderResource'>, 'userId' | 'subjectKind' | 'subjectId'>;

const TAKEN = 'it already has a row';
export const NO_USER = 'its user has no row here';

/** Thrown if an orphan cannot be adopted, with the reason: nothing is written. */
export class NotAdoptable extends Error {}

/**
 * Locks the user for the rest of the transaction and asserts that no part has a row.
 * @throws NotAdoptable if the user has no row, or a part has one.
 */
export async function claim(tx: Db, userId: string, parts: Part[]): Promise<void> {
  const user = await lockUserRow(tx, { userId });
  if (!user) throw new NotAdoptable(NO_USER);
  const handles = parts.map(({ snapshot }) => snapshot.handle);
  const taken = await handlesHere(tx, handles);
  if (taken.size > 0) throw new NotAdoptable(TAKEN);
}

/** Inserts the resources as the provider's events would have left them. Resources that are not final are polled immediately. */
export async function writeResources(
  { sealer, clock }: { sealer: Sealer; clock: Clock },
  tx: Db,
  subject: Subject,
  parts: Part[],
): Promise<void> {
  const now = clock.now();
  for (const { snapshot, leg } of parts) {
    const row = {
      ...subject,
      handle: snapshot.handle.toLowerCase(),
      kind: snapshot.kind,
      leg,
      providerRef: snapshot.providerRef,
      debitedBalanceVersion: null,
      ...appliedColumns(snapshot),
      announcedAt: null,
      pollCount: 0,
      pollFailures: 0,
      nextPollAt: eventOf(snapshot) === null ? now : null,
      leasedBy: null,
      leaseToken: 0,
      callbackSecretId: null,
      traceparent: null,
      createdAt: snapshot.updatedAt,
    };
    const { resource: columns } = await snapshotColumnsOf(sealer, row, snapshot, now);
    await insertAdoptedResource(tx, { ...row, ...columns });
  }
  await invalidateBalance(tx, subject.userId);
}
