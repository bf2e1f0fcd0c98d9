// Decides which of two snapshots of one object is newer. A later `updatedAt` of the provider is newer. Otherwise the progress of
// the object decides: first the attempt, then the status (pending, completed or failed, refunded), then how many parts of a payout came
// back, which can only grow. A verification's earlier attempt is older at any time, unless it was approved.

import type { Announced } from '../provider/callback.ts';
import type { Snapshot } from '../provider/port.ts';
import type { Entity } from '../tables/rows.ts';

/** The columns of a resource's row that describe the last applied snapshot. */
export type Applied = Pick<
  Entity<'ProviderResource'>,
  'snapshotUpdatedAt' | 'snapshotStatus' | 'snapshotAttempt' | 'snapshotContent'
>;

/**
 * How a snapshot relates to the last applied one. `newer`: it is to be applied. `same`: time and content are equal. `differs`: time
 * and progress are equal, the content is not. `older`: it was read before the last one. `stepped_back`: its time is earlier, but its
 * progress or status was never applied. An outdated read cannot show that, so the provider's clock has gone backwards.
 */
export type Recency = 'newer' | 'same' | 'differs' | 'older' | 'stepped_back';

export function recencyOf(applied: Applied, snapshot: Snapshot): Recency {
  if (applied.snapshotUpdatedAt === null) return 'newer';
  if (isReplacedAttempt(applied, snapshot)) return 'older';
  if (snapshot.updatedAt > applied.snapshotUpdatedAt) return 'newer';
  const isEarlier = snapshot.updatedAt < applied.snapshotUpdatedAt;
  // An older version applied it and stored only its time.
  if (applied.snapshotStatus === null) return isEarlier ? 'older' : 'differs';
  const last = {
    kind: snapshot.kind,
    status: applied.snapshotStatus,
    attempt: applied.snapshotAttempt ?? 1,
  };
  const content = contentOf(snapshot);
  const further =
    progressOf(snapshot) - progressOf(last) || partsIn(content) - partsIn(applied.snapshotContent);
  if (further < 0) return 'older';
  if (isEarlier) return further > 0 || snapshot.status !== applied.snapshotStatus ? 'stepped_back' : 'older';
  if (further > 0) return 'newer';
  return content === applied.snapshotContent ? 'same' : 'differs';
}

/** Whether a snapshot is about an attempt of a verification that a restart has replaced. An approval of such an attempt still counts. */
const isReplacedAttempt = ({ snapshotAttempt }: Applied, snapshot: Snapshot): boolean =>
  snapshot.kind === 'owner' && snapshot.status !== 'completed' && snapshot.attempt < (snapshotAttempt ?? 1);

/** Returns whether a callback announced a change that a snapshot fetched afterwards does not show yet. */
export function isBehind(snapshot: Snapshot, { updatedAt, status, attempt }: Announced): boolean {
  if (updatedAt.getTime() !== snapshot.updatedAt.getTime()) return updatedAt > snapshot.updatedAt;
  return status !== null && progressOf({ kind: snapshot.kind, status, attempt }) > progressOf(snapshot);
}

/** The columns of a resource's row after a snapshot was applied. */
export const appliedColumns = (snapshot: Snapshot) => ({
  snapshotUpdatedAt: snapshot.updatedAt,
  snapshotStatus: snapshot.status,
  snapshotAttempt: attemptOf(snapshot),
  snapshotContent: contentOf(snapshot),
});

/** The columns of `appliedColumns` for a snapshot that was not applied: null leaves each of them unchanged. */
export const NOT_APPLIED = {
  snapshotUpdatedAt: null,
  snapshotStatus: null,
  snapshotAttempt: null,
  snapshotContent: null,
} satisfies Applied;

type Progress = { kind: Snapshot['kind']; status: Snapshot['status']; attempt?: number };

/** The progress of an object as a number, which is comparable between snapshots of the same object. */
const progressOf = (progress: Progress): number =>
  isApproval(progress) ? Number.MAX_SAFE_INTEGER : STATUSES * attemptOf(progress) + ranks[progress.status];

/** Returns whether a verification is approved. That ranks above a refusal, which can be overturned, and above every attempt. */
const isApproval = ({ kind, status }: Progress): boolean => kind === 'owner' && status === 'completed';

/** The number of parts of a payout that came back, according to the content of its snapshot. */
const partsIn = (content: string | null): number =>
  content === null ? 0 : ((JSON.parse(content) as { refunds?: unknown[] }).refunds?.length ?? 0);

const attemptOf = (progress: Progress): number => progress.attempt ?? 1;

const STATUSES = 3;
const ranks: Record<Snapshot['status'], number> = {
  pending: 0,
  provisioning: 0,
  active: 1,
  completed: 1,
  failed: 1,
  refunded: 2,
  open: 0,
  accepted: 1,
  rejected: 1,
};

const contentOf = (snapshot: Snapshot): string => JSON.stringify(figuresOf(snapshot));

/** The content by which snapshots are compared: figures and codes, never a personal value. */
export function figuresOf(snapshot: Snapshot) {
  switch (snapshot.kind) {
    case 'transfer': {
      const { status, sourceAmountMinor, destinationAmountMinor, rate } = snapshot;
      return { status, sourceAmountMinor, destinationAmountMinor, rate };
    }
    case 'payout': {
      const { status, attempt, amountMinor, currency, endToEndId, voucherId, refunds } = snapshot;
      const returned = refunds.map(({ movementRef, amountMinor: part }) => [movementRef, part]);
      // Rows of version 1.1.0 have no refunds, so a payout without them keeps its content.
      return {
        status,
        attempt,
        amountMinor,
        currency,
        endToEndId,
        voucherId,
        ...(returned.length > 0 && { refunds: returned }),
      };
    }
    case 'contestation':
      return { status: snapshot.status };
    case 'account':
      return { status: snapshot.status, currency: snapshot.currency };
    case 'owner': {
      const { status, level, attempt, failureCode } = snapshot;
      // Rows of version 0.2.0 have neither figure, so a first attempt without a reason keeps its content.
      return { status, level, ...(attempt > 1 && { attempt }), ...(failureCode !== null && { failureCode }) };
    }
  }
}
