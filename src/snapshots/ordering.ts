// Which of two snapshots of one object follows the other. The provider's clock decides; of one time, or against the clock,
// how far the object has come: by attempt, then pending before completed or failed before refunded.

import type { Entity } from '../entities/rows.ts';
import type { Announced } from '../provider/announced.ts';
import type { Snapshot } from '../provider/port.ts';

/** The last snapshot that was applied, as its resource's row keeps it. */
export type Applied = Pick<
  Entity<'ProviderResource'>,
  'snapshotUpdatedAt' | 'snapshotStatus' | 'snapshotAttempt' | 'snapshotContent'
>;

/**
 * How a snapshot stands to the last one applied. `same`: it says the same of the same time. `differs`: of the same time
 * and as far, it says something else. `older`: a read from the past. `stepped_back`: it says what was not applied yet,
 * under an earlier time, which no read from the past can do: the provider's clock went backwards.
 */
export type Order = 'newer' | 'same' | 'differs' | 'older' | 'stepped_back';

export function orderOf(applied: Applied, snapshot: Snapshot): Order {
  if (applied.snapshotUpdatedAt === null || snapshot.updatedAt > applied.snapshotUpdatedAt) return 'newer';
  const isEarlier = snapshot.updatedAt < applied.snapshotUpdatedAt;
  // Applied by a version that kept its time alone.
  if (applied.snapshotStatus === null) return isEarlier ? 'older' : 'differs';
  const further = progressOf(snapshot) - progressOf(asProgress(applied, snapshot.kind));
  if (further < 0) return 'older';
  if (isEarlier) return further > 0 || snapshot.status !== applied.snapshotStatus ? 'stepped_back' : 'older';
  if (further > 0) return 'newer';
  return contentOf(snapshot) === applied.snapshotContent ? 'same' : 'differs';
}

/** Whether a callback told of something that the snapshot, read since, does not show yet. */
export function isBehind(snapshot: Snapshot, { updatedAt, status, attempt }: Announced): boolean {
  if (updatedAt.getTime() !== snapshot.updatedAt.getTime()) return updatedAt > snapshot.updatedAt;
  return status !== null && progressOf({ kind: snapshot.kind, status, attempt }) > progressOf(snapshot);
}

/** The columns of a resource that an applied snapshot changes. */
export const appliedColumns = (snapshot: Snapshot) => ({
  snapshotUpdatedAt: snapshot.updatedAt,
  snapshotStatus: snapshot.status,
  snapshotAttempt: attemptOf(snapshot),
  snapshotContent: contentOf(snapshot),
});

/** The same columns when the snapshot is not applied: each stays as it is. */
export const NOT_APPLIED = {
  snapshotUpdatedAt: null,
  snapshotStatus: null,
  snapshotAttempt: null,
  snapshotContent: null,
} satisfies Applied;

type Progress = { kind: Snapshot['kind']; status: Snapshot['status']; attempt?: number };

/** How far an object has come: comparable among the snapshots of one object. */
const progressOf = (progress: Progress): number =>
  STATUSES * attemptOf(progress) + rankOf(progress.kind, progress.status);

const attemptOf = (progress: Progress): number => progress.attempt ?? 1;

const asProgress = ({ snapshotStatus, snapshotAttempt }: Applied, kind: Snapshot['kind']): Progress => ({
  kind,
  status: snapshotStatus ?? 'pending',
  attempt: snapshotAttempt ?? 1,
});

const STATUSES = 3;
const ranks: Record<Snapshot['status'], number> = {
  pending: 0,
  provisioning: 0,
  active: 1,
  completed: 1,
  failed: 1,
  refunded: 2,
};

/** A refused verification can be approved later, never the other way round. */
const rankOf = (kind: Snapshot['kind'], status: Snapshot['status']): number =>
  kind === 'owner' && status === 'completed' ? ranks[status] + 1 : ranks[status];

const contentOf = (snapshot: Snapshot): string => JSON.stringify(figuresOf(snapshot));

/** What two snapshots that say the same agree in: figures and codes, and nothing that could name a person. */
export function figuresOf(snapshot: Snapshot) {
  switch (snapshot.kind) {
    case 'transfer': {
      const { status, sourceAmountMinor, destinationAmountMinor, rate } = snapshot;
      return { status, sourceAmountMinor, destinationAmountMinor, rate };
    }
    case 'payout': {
      const { status, attempt, amountMinor, currency, endToEndId, voucherId } = snapshot;
      return { status, attempt, amountMinor, currency, endToEndId, voucherId };
    }
    case 'account':
      return { status: snapshot.status, currency: snapshot.currency };
    case 'owner':
      return { status: snapshot.status, level: snapshot.level };
  }
}
