// Finds and locks the subject of a provider resource, and pairs it with the machine that decides for it. A provider event that has no
// meaning for the machine is null.
import type { AnyStateMachine, EventFromLogic } from 'xstate';
import type { ContestationEvent } from '../../machines/contestation.machine.ts';
import type { ConversionLeg } from '../../machines/effects.ts';
import type { KycEvent, KycLevel } from '../../machines/kyc.machine.ts';
import type { PayoutRefundEvent } from '../../machines/payout-refund.machine.ts';
import type { PixPaymentEvent } from '../../machines/pix-payment.machine.ts';
import type { ProviderAccountEvent } from '../../machines/provider-account.machine.ts';
import { hasEnded } from '../../machines/states.ts';
import type { WithdrawEvent } from '../../machines/withdraw.machine.ts';
import type { Currency } from '../domain/currency.ts';
import { lockRow, prepareAdvance } from '../lifecycle/advance.ts';
import { contestation } from '../lifecycle/contestation.ts';
import { kyc } from '../lifecycle/kyc.ts';
import type { Lifecycle, LifecycleRow } from '../lifecycle/lifecycle.ts';
import { conversionHandle, payoutRefund } from '../lifecycle/payout-refund.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { providerAccount } from '../lifecycle/provider-account.ts';
import { withdraw } from '../lifecycle/withdraw.ts';
import type { EnqueuingTx } from '../outbox/hand-off.ts';
import type { ProviderEvent } from '../provider/events.ts';
import type { Snapshot } from '../provider/port.ts';
import { lockContestedPayment } from '../tables/contestations/statements.ts';
import { findState } from '../tables/lifecycles.ts';
import type { Db } from '../tables/orm.ts';
import { lockResourceRow } from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import type { Difference } from './as-expected.ts';
import {
  conversionDiscrepancies,
  isRepetition,
  type NewDiscrepancy,
  type NotApplied,
  partialDiscrepancies,
  recordDiscrepancy,
} from './discrepancies.ts';

export type LockedSubject = {
  state: string;
  /** The user's transaction that the subject belongs to. Null for a verification and an account. */
  transactionId: string | null;
  /** Neither a job nor the user will change the subject's state any more. */
  hasEnded: boolean;
  /**
   * Decides about a provider event. Returns a function that writes it if the row's state accepts it, `repeated` if the row has
   * applied the same event before, or else why the event is not applied.
   */
  decide: (event: ProviderEvent, cause: Cause, now: Date) => Promise<Accepted | 'repeated' | NotApplied>;
};

type Accepted = { write: () => Promise<unknown> };

/** A reported snapshot with its resource, and the properties in which it differs from what we requested. */
type ReportedSnapshot = { resource: ResourceIdentity; snapshot: Snapshot; differs: Difference[] };

/** Locks the subject of `resource` for the rest of the transaction. Returns null if its row is gone. */
export function lockSubject(
  tx: EnqueuingTx,
  resource: ResourceIdentity,
  snapshot: Snapshot,
  differs: Difference[],
): Promise<LockedSubject | null> {
  const { subjectKind: kind, leg } = resource;
  const report = { resource, snapshot, differs };
  switch (kind) {
    case 'pix_payment':
      return locked(tx, pixPayment, report, {
        // A partial return has a lifecycle of its own.
        meaningOf: (event) => pixPaymentEvent(event, leg === 'partial' ? null : leg),
        transactionOf: ({ transactionId }) => transactionId,
        discrepanciesOf: conversionDiscrepancies,
      });
    case 'withdraw':
      return locked(tx, withdraw, report, { meaningOf: withdrawEvent, transactionOf: ({ id }) => id });
    case 'kyc':
      return locked(tx, kyc, report, {
        meaningOf: (event) => kycEvent(event, snapshot.kind === 'owner' ? snapshot.level : null),
      });
    case 'contestation':
      return lockedContestation(tx, report);
    case 'payout_refund':
      return locked(tx, payoutRefund, report, {
        meaningOf: (event, row) => partialEvent(event, attemptOf(row, resource.handle)),
        discrepanciesOf: partialDiscrepancies,
      });
    case 'provider_account':
      return locked(tx, providerAccount, report, { meaningOf: providerAccountEvent });
  }
}

/** Returns the current state of a resource's subject, for a discrepancy; `lost` if the subject's row is gone. */
export async function stateOf(
  tx: Db,
  { subjectKind: kind, subjectId: id, userId }: Entity<'ProviderResource'>,
): Promise<string> {
  const row = await findState[kind](tx, { id, userId });
  return row?.state ?? 'lost';
}

/** A contestation changes what its payment shows, so the payment is locked first. Both statements are sent in this order. */
async function lockedContestation(tx: EnqueuingTx, report: ReportedSnapshot): Promise<LockedSubject | null> {
  const { subjectId: id, userId } = report.resource;
  const [, subject] = await Promise.all([
    lockContestedPayment(tx, { id, userId }),
    locked(tx, contestation, report, { meaningOf: contestationEvent }),
  ]);
  return subject;
}

type Meaning<Machine extends AnyStateMachine, Row> = {
  meaningOf: (event: ProviderEvent, row: Row) => EventFromLogic<Machine> | null;
  transactionOf?: (row: Row) => string;
  discrepanciesOf?: (row: Row, event: EventFromLogic<Machine>, snapshot: Snapshot) => NewDiscrepancy[];
};

async function locked<Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  tx: EnqueuingTx,
  lifecycle: Lifecycle<Machine, Row>,
  { resource, snapshot, differs }: ReportedSnapshot,
  { meaningOf, transactionOf, discrepanciesOf = () => [] }: Meaning<Machine, Row>,
): Promise<LockedSubject | null> {
  const subject = { id: resource.subjectId, userId: resource.userId };
  const row = await lockRow(tx, lifecycle, subject);
  if (row === null) return null;
  return {
    state: row.state,
    transactionId: transactionOf?.(row) ?? null,
    hasEnded: hasEnded(lifecycle.kind, row.state),
    decide: async (event, cause, now) => {
      const meaning = meaningOf(event, row);
      if (meaning === null) return { event: null, state: row.state, differs };
      const write = differs.length === 0 ? prepareAdvance(tx, lifecycle, row, meaning, cause, now) : null;
      if (write !== null) {
        const discrepancies = discrepanciesOf(row, meaning, snapshot);
        const record = (one: NewDiscrepancy) => recordDiscrepancy(tx, resource, one, cause, now);
        return { write: () => Promise.all([write(), ...discrepancies.map(record)]) };
      }
      if (await isRepetition(tx, lifecycle.kind, subject, meaning)) return 'repeated';
      return { event: meaning, state: row.state, differs };
    },
  };
}

type PaymentLeg = Exclude<ConversionLeg, 'partial'>;

export function pixPaymentEvent(event: ProviderEvent, leg: PaymentLeg | null): PixPaymentEvent | null {
  switch (event.kind) {
    case 'internal-transfer.completed':
      return leg === null
        ? null
        : {
            type: `${leg}.completed`,
            sourceAmountMinor: event.sourceAmount,
            destinationAmountMinor: event.destinationAmount,
          };
    case 'internal-transfer.failed':
      return leg === null ? null : { type: `${leg}.failed`, reason: 'conversion_failed' };
    case 'off-ramp.completed':
      return {
        type: 'off-ramp.completed',
        ...paidIn(event),
        endToEndId: event.endToEndId ?? null,
        voucherId: event.voucherId ?? null,
      };
    case 'off-ramp.failed':
      return {
        type: 'off-ramp.failed',
        // A retry pays the same key, so the user must learn that it leads nowhere.
        reason: event.payoutFailure?.code === 'recipient_unknown' ? 'recipient_unknown' : 'payout_failed',
        attempt: event.attempt,
        attempted: true,
        ...(event.payoutFailure && { payoutFailure: event.payoutFailure }),
        ...paidIn(event),
      };
    case 'off-ramp.refunded':
      return { type: 'off-ramp.refunded', ...paidIn(event) };
    default:
      return null;
  }
}

export function withdrawEvent(event: ProviderEvent): WithdrawEvent | null {
  switch (event.kind) {
    case 'off-ramp.completed':
      return { type: 'off-ramp.completed', ...paidIn(event) };
    case 'off-ramp.failed':
      return { type: 'off-ramp.failed', reason: 'withdraw_failed', ...paidIn(event) };
    case 'off-ramp.refunded':
      return { type: 'off-ramp.refunded', ...paidIn(event) };
    default:
      return null;
  }
}

function contestationEvent(event: ProviderEvent): ContestationEvent | null {
  switch (event.kind) {
    case 'contestation.opened':
      return { type: event.kind };
    case 'contestation.accepted':
    case 'contestation.rejected':
      return { type: event.kind, resolvedAt: event.resolvedAt };
    default:
      return null;
  }
}

function partialEvent(event: ProviderEvent, attempt: number): PayoutRefundEvent | null {
  switch (event.kind) {
    case 'internal-transfer.completed':
      return {
        type: 'partial.completed',
        attempt,
        sourceAmountMinor: event.sourceAmount,
        destinationAmountMinor: event.destinationAmount,
      };
    case 'internal-transfer.failed':
      return { type: 'partial.failed', attempt, attempted: true };
    default:
      return null;
  }
}

/** The number of the conversion with this handle. A refused one does not count, so it has the next number. */
function attemptOf(row: Entity<'PayoutRefund'>, handle: string): number {
  for (let attempt = row.attempt + 1; attempt > 0; attempt -= 1)
    if (conversionHandle({ ...row, attempt }) === handle) return attempt;
  return 0;
}

const paidIn = ({ amountMinor, fiatCurrency }: { amountMinor: number; fiatCurrency: Currency }) => ({
  amountMinor,
  currency: fiatCurrency,
});

/** Maps an event to the verification's machine. `level` is what the provider verified; a completed one without a level counts as basic. */
function kycEvent(event: ProviderEvent, level: KycLevel | null): KycEvent | null {
  if (event.kind === 'kyc.restarted') return { type: 'kyc.restarted', attempt: event.attempt };
  if (event.kind !== 'kyc.updated') return null;
  return event.status === 'completed'
    ? { type: 'kyc.completed', level: level ?? 'basic' }
    : { type: 'kyc.failed', attempt: event.attempt, failureCode: event.failureCode ?? null };
}

const providerAccountEvent = (event: ProviderEvent): ProviderAccountEvent | null =>
  event.kind === 'account.activated' ? { type: 'account.activated' } : null;

/** The identity of a resource, which is fixed before it is requested and never changes. */
export type ResourceIdentity = Pick<
  Entity<'ProviderResource'>,
  'handle' | 'userId' | 'kind' | 'subjectKind' | 'subjectId' | 'leg'
>;

/**
 * Locks a resource's row for the rest of the transaction. A caller that also locks the subject locks it first, to prevent deadlocks.
 * @throws Error if the row is gone.
 */
export async function lockResource(
  tx: Db,
  { handle, userId }: Pick<Entity<'ProviderResource'>, 'handle' | 'userId'>,
): Promise<Entity<'ProviderResource'>> {
  const resource = await lockResourceRow(tx, { handle, userId });
  if (!resource) throw new Error(`no resource has the handle ${handle}`);
  return resource;
}
