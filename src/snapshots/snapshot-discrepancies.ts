// The discrepancies that a snapshot itself gives reason for, before any machine steps by it.
import type { Db } from '../database/orm.ts';
import { eventOf } from '../provider/events.ts';
import type { Snapshot } from '../provider/port.ts';
import { findDiscrepancyResolution } from '../sql/discrepancies.ts';
import type { DiscrepancyKind, NewDiscrepancy } from './discrepancies.ts';
import { figuresOf } from './ordering.ts';

/** What was not applied yet, under an earlier time than what was. */
export const steppedBack = (snapshot: Snapshot, state: string): NewDiscrepancy => ({
  kind: 'clock_stepped_back',
  event: said(snapshot, 'clock_stepped_back'),
  state,
  providerRef: snapshot.providerRef,
  fingerprint: `${snapshot.updatedAt.toISOString()} ${snapshot.status}`,
  snapshotAt: snapshot.updatedAt,
});

/** What a snapshot says, in the provider's words where its state is final. */
export const said = (snapshot: Snapshot, otherwise: DiscrepancyKind) => ({
  ...figuresOf(snapshot),
  type: eventOf(snapshot)?.kind ?? otherwise,
});

/** Whether it was recorded before, and an operator or a job has resolved it. */
export async function isResolved(
  tx: Db,
  { handle, userId }: { handle: string; userId: string },
  { kind, fingerprint }: NewDiscrepancy,
): Promise<boolean> {
  const found = await findDiscrepancyResolution(tx, { handle, userId, kind, fingerprint });
  return found !== undefined && found.resolvedAt !== null;
}
