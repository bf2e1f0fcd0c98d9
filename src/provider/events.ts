// Maps snapshots and movements to provider events. Replies, callbacks and look-ups all pass through it, so that each has the same
// meaning.
import type { KycFailureCode } from '../../machines/kyc.machine.ts';
import type { Currency } from '../domain/currency.ts';
import { formatDecimal } from '../domain/money.ts';
import type { PayoutFailure } from '../domain/payout-failures.ts';
import type {
  AccountSnapshot,
  ContestationSnapshot,
  Movement,
  OwnerSnapshot,
  PayoutSnapshot,
  Snapshot,
  TransferSnapshot,
} from './port.ts';

/** The amount of a payout, which is compared with the requested amount even if the payout failed or was refunded. */
type Paid = { fiatCurrency: Currency; amountMinor: number };

/** An event of one provider resource. Amounts are in minor units, except `fiatAmount`, which is decimal text. */
export type ProviderEvent =
  | {
      kind: 'off-ramp.completed';
      providerRef: string;
      fiatAmount: string;
      fiatCurrency: Currency;
      amountMinor: number;
      endToEndId?: string;
      voucherId?: string;
    }
  | ({
      kind: 'off-ramp.failed';
      providerRef: string;
      reason: string;
      attempt: number;
      payoutFailure?: PayoutFailure;
    } & Paid)
  | ({ kind: 'off-ramp.refunded'; providerRef: string; reason: string } & Paid)
  | {
      kind: 'internal-transfer.completed';
      providerRef: string;
      sourceAmount: number;
      destinationAmount: number;
      rate: number;
    }
  | { kind: 'internal-transfer.failed'; providerRef: string; reason: string }
  | {
      kind: 'deposit.received';
      providerAccountId: string;
      amount: number;
      currency: Currency;
      sourceReference?: string;
    }
  | { kind: 'kyc.updated'; providerOwnerId: string; status: 'completed' }
  | {
      kind: 'kyc.updated';
      providerOwnerId: string;
      status: 'failed';
      attempt: number;
      failureCode?: KycFailureCode;
    }
  | { kind: 'kyc.restarted'; providerOwnerId: string; attempt: number }
  | { kind: 'account.activated'; providerAccountId: string }
  | { kind: 'contestation.opened'; providerRef: string }
  | { kind: 'contestation.accepted' | 'contestation.rejected'; providerRef: string; resolvedAt: Date | null };

/**
 * Returns the event of a snapshot or a movement. Null if the snapshot is not final, except a verification that has begun another
 * attempt, or if the movement is not a deposit.
 */
export function eventOf(reported: Snapshot | Movement): ProviderEvent | null {
  switch (reported.kind) {
    case 'transfer':
      return transferEvent(reported);
    case 'payout':
      return payoutEvent(reported);
    case 'owner':
      return ownerEvent(reported);
    case 'account':
      return accountEvent(reported);
    case 'contestation':
      return contestationEvent(reported);
    case 'movement':
      return movementEvent(reported);
  }
}

function transferEvent({ status, providerRef, ...transfer }: TransferSnapshot): ProviderEvent | null {
  if (status === 'pending') return null;
  if (status === 'failed')
    return { kind: 'internal-transfer.failed', providerRef, reason: transfer.failureReason ?? 'failed' };
  return {
    kind: 'internal-transfer.completed',
    providerRef,
    sourceAmount: transfer.sourceAmountMinor,
    destinationAmount: transfer.destinationAmountMinor,
    rate: Number(transfer.rate),
  };
}

function payoutEvent({ status, providerRef, ...payout }: PayoutSnapshot): ProviderEvent | null {
  if (status === 'pending') return null;
  const reason = payout.failureReason ?? status;
  const paid: Paid = { fiatCurrency: payout.currency, amountMinor: payout.amountMinor };
  if (status === 'failed')
    return {
      kind: 'off-ramp.failed',
      providerRef,
      reason,
      attempt: payout.attempt,
      ...paid,
      ...(payout.payoutFailure !== null && { payoutFailure: payout.payoutFailure }),
    };
  if (status === 'refunded') return { kind: 'off-ramp.refunded', providerRef, reason, ...paid };
  return {
    kind: 'off-ramp.completed',
    providerRef,
    fiatAmount: formatDecimal(payout.amountMinor, payout.currency),
    ...paid,
    ...(payout.endToEndId !== null && { endToEndId: payout.endToEndId }),
    ...(payout.voucherId !== null && { voucherId: payout.voucherId }),
  };
}

function ownerEvent({ status, providerRef, attempt, failureCode }: OwnerSnapshot): ProviderEvent | null {
  const providerOwnerId = providerRef;
  if (status === 'completed') return { kind: 'kyc.updated', providerOwnerId, status };
  if (status === 'pending') return attempt === 1 ? null : { kind: 'kyc.restarted', providerOwnerId, attempt };
  return {
    kind: 'kyc.updated',
    providerOwnerId,
    status,
    attempt,
    ...(failureCode !== null && { failureCode }),
  };
}

const accountEvent = ({ status, providerRef }: AccountSnapshot): ProviderEvent | null =>
  status === 'active' ? { kind: 'account.activated', providerAccountId: providerRef } : null;

const contestationEvent = ({ status, providerRef, resolvedAt }: ContestationSnapshot): ProviderEvent =>
  status === 'open'
    ? { kind: 'contestation.opened', providerRef }
    : { kind: `contestation.${status}`, providerRef, resolvedAt };

/** Returns the event of a deposit. Every other credit is a counterpart of our own requests, and a movement of zero moves nothing. */
function movementEvent({ direction, purpose, amountMinor, ...movement }: Movement): ProviderEvent | null {
  if (direction !== 'credit' || purpose !== 'deposit' || amountMinor === 0) return null;
  return {
    kind: 'deposit.received',
    providerAccountId: movement.accountRef,
    amount: amountMinor,
    currency: movement.currency,
    ...(movement.sourceReference !== null && { sourceReference: movement.sourceReference }),
  };
}
