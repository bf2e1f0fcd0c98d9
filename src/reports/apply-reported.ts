// Applies everything that the provider reports: replies, callbacks and look-ups. It finds the subject of a resource by our handle,
// or the account of a movement, and applies the report in one commit with the caller's own writes. Snapshots are applied in order, under
// the locks of both rows, and only through the subject's machine. A snapshot that contradicts our rows is recorded as a discrepancy.
import type { ConversionLeg } from '../../machines/effects.ts';
import type { Clock } from '../domain/clock.ts';
import { isUuid, NIL_UUID } from '../domain/ids.ts';
import { invalidateBalance } from '../ledger/invalidate.ts';
import { type EnqueuingTx, type GroupCommitting, groupedTransaction } from '../outbox/hand-off.ts';
import { eventOf } from '../provider/events.ts';
import type { LookupResult, Movement, Snapshot } from '../provider/port.ts';
import { unlessErased } from '../security/data-keys.ts';
import type { Sealer } from '../security/sealer.ts';
import type { Db } from '../tables/orm.ts';
import {
  findResourceByHandle,
  setPollCount,
  updateReportedResource,
} from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { lockUserRow } from '../tables/users/statements.ts';
import { applyMovement, type ReportedAbout } from './apply-movement.ts';
import { assertOwnObject, type Difference, differencesFromOrder } from './as-expected.ts';
import { discrepancyOf, isResolved, recordDiscrepancy, steppedBack } from './discrepancies.ts';
import { recordRefunds } from './partial-returns.ts';
import { isSettledBy, keepPolling, pollDelayMs, stopPolling } from './polling.ts';
import { appliedColumns, NOT_APPLIED, recencyOf } from './recency.ts';
import { type SnapshotColumns, snapshotColumnsOf } from './snapshot-columns.ts';
import { type LockedSubject, lockResource, lockSubject, type ResourceIdentity } from './subject.ts';
import { followedOf, hasUnresolvedTwin, isSuccess, twin, twinsAmong } from './twins.ts';
import { resolveVanished } from './vanished.ts';

export type ApplyServices = GroupCommitting & {
  sealer: Sealer;
  clock: Clock;
  config: { provider: { name: string } };
};

/** Writes more in the commit that applies the report. It is called only if the report matches a row. */
export type InSameCommit = (
  tx: Db,
  result: Exclude<ApplyResult, 'unmatched'>,
  about: ReportedAbout,
) => Promise<void>;

export async function applyReported(
  services: ApplyServices,
  reported: LookupResult<Snapshot> | Movement,
  cause: Cause,
  inSameCommit?: InSameCommit,
): Promise<ApplyResult> {
  if (reported.kind === 'movement') return applyMovement(services, reported, cause, inSameCommit);
  const identity = await findResourceByHandle(services.db, { handle: handleOf(reported) });
  if (!identity || identity.kind !== reported.kind) return 'unmatched';
  const { followed, others } = followedOf(identity, reported);
  return applyToOrdered(services, identity, { snapshot: followed ?? reported, others }, cause, inSameCommit);
}

// Our handles are uuids. Another company's handle may be any text, which the uuid column cannot be compared with.
const handleOf = ({ handle }: Snapshot): string => (isUuid(handle) ? handle.toLowerCase() : NIL_UUID);

/**
 * Applies a snapshot whose resource is already known, such as the answer to a request.
 * @param identity the identity of the resource.
 * @param others the other objects that were found under its handle.
 * @returns `unmatched` if the subject's row is gone, or the user was erased.
 */
export async function applyToOrdered(
  services: Omit<ApplyServices, 'config'>,
  identity: TrackedResource,
  { snapshot, others }: { snapshot: Snapshot; others: Snapshot[] },
  cause: Cause,
  inSameCommit?: InSameCommit,
): Promise<ApplyResult> {
  // Sealing may load a data key, so it runs before the transaction and its locks.
  const columns = await unlessErased(
    snapshotColumnsOf(services.sealer, identity, snapshot, services.clock.now()),
  );
  if (columns === null) return 'unmatched';
  const differs = await differencesFromOrder(services, identity, snapshot);
  return groupedTransaction(services, identity.userId, async (tx) => {
    const now = services.clock.now();
    const report = { identity, snapshot, others, columns, differs, cause, now };
    const { result, written, transactionId } = await applySnapshot(tx, report);
    const about = { userId: identity.userId, transactionId };
    await Promise.all([written, result === 'unmatched' ? null : inSameCommit?.(tx, result, about)]);
    return result;
  });
}

/**
 * The result of applying a report. `applied`: it changed a row. `nothing_new`: it repeats what is already known. `stale`: it is
 * older than the last applied snapshot. `refused`: it contradicts our rows and was recorded as a discrepancy. `twin`: it is not
 * the object that we follow. `blocked`: an operator has to choose between twins first. `unmatched`: no row here belongs to it.
 */
export type ApplyResult = 'applied' | 'nothing_new' | 'stale' | 'refused' | 'twin' | 'blocked' | 'unmatched';

/** A resource as it was read without a lock. A caller that has not read its row does not know the object's id. */
type TrackedResource = ResourceIdentity & Partial<Pick<Entity<'ProviderResource'>, 'providerRef'>>;

/** A snapshot, with everything about its resource that is read before any lock is taken. */
export type ReportedSnapshot = {
  identity: TrackedResource;
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

export async function applySnapshot(
  tx: EnqueuingTx,
  report: ReportedSnapshot,
): Promise<Applying & { transactionId: string | null }> {
  const { identity, snapshot, others, differs } = report;
  // Locks are taken in the order of docs/decisions/0002-read-committed-with-row-locks.md, and all in one packet.
  const mayMoveMoney = mayChangeHomeBalance(identity, [snapshot, ...others]);
  const [, subject, resource] = await Promise.all([
    mayMoveMoney && lockUserRow(tx, { userId: identity.userId }),
    lockSubject(tx, identity, snapshot, differs),
    lockResource(tx, identity),
  ]);
  if (!subject) return { ...nothingMore('unmatched'), transactionId: null };
  const applying = await applyToLocked(tx, report, { subject, resource, mayMoveMoney });
  return { ...applying, transactionId: subject.transactionId };
}

type Locked = { subject: LockedSubject; resource: Entity<'ProviderResource'>; mayMoveMoney: boolean };

async function applyToLocked(
  tx: EnqueuingTx,
  report: ReportedSnapshot,
  { subject, resource, mayMoveMoney }: Locked,
): Promise<Applying> {
  const { identity, snapshot, others, cause, now } = report;
  const twins = await twinsAmong(tx, resource, [snapshot, ...others]);
  for (const one of twins) await recordDiscrepancy(tx, resource, twin(one, subject.state), cause, now);
  // A twin may have taken money.
  if (twins.length > 0 && mayMoveMoney) await invalidateBalance(tx, resource.userId);
  if (twins.includes(snapshot)) return nothingMore('twin');
  await resolveVanished(tx, resource, now);
  // Only snapshots of the same object can be ordered by their times.
  switch (resource.providerRef === snapshot.providerRef ? recencyOf(resource, snapshot) : 'newer') {
    case 'older':
      return nothingMore('stale');
    case 'same':
      if (isSettledBy(resource, snapshot, now)) await stopPolling(tx, resource);
      else await keepPolling(tx, resource);
      return nothingMore('nothing_new');
    case 'stepped_back':
      await recordDiscrepancy(tx, identity, steppedBack(snapshot, subject.state), cause, now);
      await keepPolling(tx, resource);
      return nothingMore('refused');
    case 'newer':
    case 'differs':
      return applyEvent(tx, report, subject, resource);
  }
}

const nothingMore = (result: ApplyResult): Applying => ({ result, written: Promise.resolve() });

/** Applies the snapshot's event through the subject's machine, and updates the resource's row. */
async function applyEvent(
  tx: EnqueuingTx,
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
  const pollInMs = isOver ? null : pollDelayMs(polled.pollCount);
  const written = Promise.all([
    accepted?.write(),
    // The subject's properties are written only if the event is applied.
    isApplied && columns.writeSubject?.(tx),
    isApplied && snapshot.kind === 'payout' && recordRefunds(tx, resource, snapshot, cause, now),
    changesHomeBalance(resource, snapshot) && invalidateBalance(tx, resource.userId),
    isRestarted && setPollCount(tx, polled),
    updateReportedResource(tx, {
      handle: resource.handle,
      userId: resource.userId,
      providerRef: snapshot.providerRef,
      pollInMs,
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

/**
 * Returns whether the user's row has to be locked, because a snapshot may change the home balance or be a twin. It is decided before
 * the resource's row is locked. If another report stores the object's id meanwhile, the user is locked in vain. An id is never removed,
 * so no change of the balance is missed.
 */
const mayChangeHomeBalance = (
  { providerRef = null, ...identity }: TrackedResource,
  [snapshot, ...others]: [Snapshot, ...Snapshot[]],
): boolean =>
  others.length > 0 ||
  (providerRef !== null && providerRef !== snapshot.providerRef) ||
  changesHomeBalance({ ...identity, providerRef }, snapshot);

/**
 * Whether a snapshot shows a change of the home balance: a debit that starts, a debit that is undone, or a completed conversion to the
 * home currency. A completed withdrawal may be a second debit: the provider can pay after it returned the money, and the callback about
 * the return can be lost. A payout in BRL does not move money of the home account.
 * @param resource the row as it was before the snapshot.
 */
function changesHomeBalance(resource: Required<TrackedResource>, snapshot: Snapshot): boolean {
  if (snapshot.kind !== 'transfer' && snapshot.kind !== 'payout') return false;
  if (resource.leg !== null && creditsHome.has(resource.leg)) return snapshot.status === 'completed';
  if (!debitsHome(resource)) return false;
  const isCompletedConversion = snapshot.kind === 'transfer' && snapshot.status === 'completed';
  return resource.providerRef === null || (snapshot.status !== 'pending' && !isCompletedConversion);
}

/**
 * Whether the snapshot is the first one of a resource that debits the home account.
 * @param resource the row as it was before the snapshot.
 */
const isFirstDebit = (resource: Entity<'ProviderResource'>): boolean =>
  resource.providerRef === null && debitsHome(resource);

const creditsHome: ReadonlySet<ConversionLeg> = new Set(['reverse', 'return', 'partial']);

/** Whether the resource debits the home account as soon as it exists at the provider. */
const debitsHome = ({ leg, subjectKind: kind }: ResourceIdentity): boolean =>
  leg === 'direct' || leg === 'leg1' || kind === 'withdraw';
