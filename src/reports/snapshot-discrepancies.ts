// Discrepancies that a snapshot shows by itself, before any machine decides about it.
import type { Db } from '../platform/database/orm.ts';
import { findDiscrepancyResolution } from '../platform/sql/discrepancies.ts';
import { eventOf } from '../provider/events.ts';
import type { Snapshot } from '../provider/port.ts';
import type { DiscrepancyKind, NewDiscrepancy } from './discrepancies.ts';
import { figuresOf } from './recency.ts';

/** The discrepancy of a snapshot that shows something new under an earlier time than the last applied snapshot. */
export const steppedBack = (snapshot: Snapshot, state: string): NewDiscrepancy => ({
  kind: 'clock_stepped_back',
  event: describeSnapshot(snapshot, 'clock_stepped_back'),
  state,
  providerRef: snapshot.providerRef,
  fingerprint: `${snapshot.updatedAt.toISOString()} ${snapshot.status}`,
  snapshotAt: snapshot.updatedAt,
});

/** Describes a snapshot by its figures. The type is the provider event if the snapshot is final, otherwise the discrepancy's kind. */
export const describeSnapshot = (snapshot: Snapshot, otherwise: DiscrepancyKind) => ({
  ...figuresOf(snapshot),
  type: eventOf(snapshot)?.kind ?? otherwise,
});

/** Whether the discrepancy was recorded before, and an operator or a job has resolved it. */
export async function isResolved(
  tx: Db,
  { handle, userId }: { handle: string; userId: string },
  { kind, fingerprint }: NewDiscrepancy,
): Promise<boolean> {
  const found = await findDiscrepancyResolution(tx, { handle, userId, kind, fingerprint });
  return found !== undefined && found.resolvedAt !== null;
}
