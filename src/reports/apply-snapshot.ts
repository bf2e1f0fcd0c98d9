// Applies a snapshot of a provider resource to its subject, under the locks of both rows. Snapshots are applied in order and only
// through the subject's machine. A snapshot that contradicts our rows is recorded as a discrepancy and is not applied.
import { invalidateBalance } from '../ledger/invalidate.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import type { Db } from '../platform/database/orm.ts';
import type { Entity } from '../platform/entities/rows.ts';
import { planPoll, updateReportedResource } from '../platform/sql/provider-resources.ts';
import { eventOf } from '../provider/events.ts';
import type { Snapshot } from '../provider/port.ts';
import type { Difference } from './as-expected.ts';
import { discrepancyOf, recordDiscrepancy } from './discrepancies.ts';
import { changesHomeBalance, isFirstDebit } from './home-balance.ts';
import { type LockedSubject, lockSubject } from './lock-subject.ts';
import { assertOwnObject } from './object-users.ts';
import { isSettledBy, keepPolling, nextPollAt, stopPolling } from './polling.ts';
import { appliedColumns, NOT_APPLIED, recencyOf } from './recency.ts';
import { lockResource, type ResourceIdentity } from './resource.ts';
import type { SnapshotColumns } from './snapshot-columns.ts';
import { isResolved, steppedBack } from './snapshot-discrepancies.ts';
import { hasUnresolvedTwin, isSuccess, recordTwin, twinsAmong } from './twins.ts';
import { resolveVanished } from './vanished.ts';

/**
 * The result of applying a report. `applied`: it changed a row. `nothing_new`: it repeats what is already known. `stale`: it is
 * older than the last applied snapshot. `refused`: it contradicts our rows and was recorded as a discrepancy. `twin`: it is not
 * the object that we follow. `held`: an operator has to choose between twins first. `unmatched`: no row here belongs to it.
 */
export type ApplyResult = 'applied' | 'nothing_new' | 'stale' | 'refused' | 'twin' | 'blocked' | 'unmatched';

/** A snapshot, with everything about its resource that is read before any lock is taken. */
export type ReportedSnapshot = {
  known: ResourceIdentity;
  snapshot: Snapshot;
  /** The other objects that were found under the snapshot's handle. */
  others: Snapshot[];
  columns: SnapshotColumns;
  /** The properties in which the snapshot differs from what we requested. */
  differs: Difference[];
  cause: Cause;
  now: Date;
};

/** A result that is known before its statements are answered, so that callers can send more statements in the same packet. */
type Applying = { result: ApplyResult; written: Promise<unknown> };

export async function applySnapshot(tx: Db, report: ReportedSnapshot): Promise<Applying> {
  const { known, snapshot, others, differs, cause, now } = report;
  const [subject, resource] = await Promise.all([
    lockSubject(tx, known, snapshot, differs),
    lockResource(tx, known),
  ]);
  if (!subject) return nothingMore('unmatched');
  const twins = await twinsAmong(tx, resource, [snapshot, ...others]);
  for (const twin of twins) await recordTwin(tx, resource, twin, subject.state, cause, now);
  // A twin may have taken money.
  if (twins.length > 0) await invalidateBalance(tx, resource.userId);
  if (twins.includes(snapshot)) return nothingMore('twin');
  await resolveVanished(tx, resource, now);
  // Only snapshots of the same object can be ordered by their times.
  switch (resource.providerRef === snapshot.providerRef ? recencyOf(resource, snapshot) : 'newer') {
    case 'older':
      return nothingMore('stale');
    case 'same':
      if (isSettledBy(resource, snapshot, now)) await stopPolling(tx, resource);
      else await keepPolling(tx, resource, now);
      return nothingMore('nothing_new');
    case 'stepped_back':
      await recordDiscrepancy(tx, known, steppedBack(snapshot, subject.state), cause, now);
      await keepPolling(tx, resource, now);
      return nothingMore('refused');
    case 'newer':
    case 'differs':
      return applyEvent(tx, report, subject, resource);
  }
}

const nothingMore = (result: ApplyResult): Applying => ({ result, written: Promise.resolve() });

/** Applies the snapshot's event through the subject's machine, and updates the resource's row. */
async function applyEvent(
  tx: Db,
  { snapshot, columns, cause, now }: ReportedSnapshot,
  subject: LockedSubject,
  resource: Entity<'ProviderResource'>,
): Promise<Applying> {
  const event = eventOf(snapshot);
  const isBlocked = event !== null && !isSuccess(event) && (await hasUnresolvedTwin(tx, resource));
  const decided = event === null || isBlocked ? 'nothing' : await subject.decide(event, cause, now);
  const accepted = typeof decided === 'object' && 'write' in decided ? decided : null;
  const refused = typeof decided === 'object' && 'differs' in decided ? decided : null;
  const discrepancy = refused?.event ? discrepancyOf({ ...refused, event: refused.event }, snapshot) : null;
  if (discrepancy) await recordDiscrepancy(tx, resource, discrepancy, cause, now);
  const isApplied = !isBlocked && !refused;
  // A resource whose final state was not applied is polled until its discrepancy is resolved. If it differs from what we requested,
  // it is polled until the subject has also ended.
  const isOver = isApplied
    ? isSettledBy(resource, snapshot, now)
    : discrepancy !== null &&
      (discrepancy.kind === 'contradicted_state' || subject.hasEnded) &&
      (await isResolved(tx, resource, discrepancy));
  if (resource.providerRef !== snapshot.providerRef)
    await assertOwnObject(tx, resource, snapshot.providerRef);
  // The hosted page of another attempt is open for an hour, so the polls begin again with short intervals.
  const isRestarted = accepted !== null && event?.kind === 'kyc.restarted';
  const polled = isRestarted ? { ...resource, pollCount: 0 } : resource;
  const plannedAt = isOver ? null : nextPollAt(polled, now);
  const written = Promise.all([
    accepted?.write(),
    // The subject's properties are written only if the event is applied.
    isApplied && columns.writeSubject?.(tx),
    changesHomeBalance(resource, snapshot) && invalidateBalance(tx, resource.userId),
    isRestarted && planPoll(tx, { ...polled, nextPollAt: plannedAt }),
    updateReportedResource(tx, {
      handle: resource.handle,
      userId: resource.userId,
      providerRef: snapshot.providerRef,
      nextPollAt: plannedAt,
      // A snapshot that was not applied does not change the stored time: if the row's state allows it later, it must not be stale.
      ...(isApplied ? appliedColumns(snapshot) : NOT_APPLIED),
      ...columns.resource,
      isFirstDebit: isFirstDebit(resource),
    }),
  ]);
  if (isBlocked) return { result: 'blocked', written };
  if (refused) return { result: 'refused', written };
  return { result: accepted ? 'applied' : 'nothing_new', written };
}
