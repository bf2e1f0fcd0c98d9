// Maps snapshots to provider events. Replies, callbacks and look-ups all pass through it, so that each has the same meaning.
import type { KycFailureCode, KycLevel } from '../../machines/kyc.machine.ts';
import type { Currency } from '../domain/currency.ts';
import type { Movement, OwnerSnapshot, PayoutSnapshot, Snapshot, TransferSnapshot } from './port.ts';

/** The amount of a payout, which is compared with the requested amount even if the payout failed or was refunded. */
type Paid = { amountMinor: number; currency: Currency };

/** An event of one provider resource. Amounts are in minor units. */
export type ProviderEvent =
  | ({ type: 'off-ramp.completed'; endToEndId: string | null; voucherId: string | null } & Paid)
  | ({ type: 'off-ramp.failed'; attempt: number; failureCode: PayoutSnapshot['failureCode'] } & Paid)
  | ({ type: 'off-ramp.refunded' } & Paid)
  | { type: 'internal-transfer.completed'; sourceAmountMinor: number; destinationAmountMinor: number }
  | { type: 'internal-transfer.failed' }
  | { type: 'kyc.updated'; status: 'completed'; level: KycLevel | null }
  | { type: 'kyc.updated'; status: 'failed'; attempt: number; failureCode: KycFailureCode | null }
  | { type: 'kyc.restarted'; attempt: number }
  | { type: 'account.activated' };

/** Returns the event of a snapshot. Null if the snapshot is not final, except a verification that has begun another attempt. */
export function eventOf(snapshot: Snapshot): ProviderEvent | null {
  switch (snapshot.kind) {
    case 'transfer':
      return transferEvent(snapshot);
    case 'payout':
      return payoutEvent(snapshot);
    case 'owner':
      return ownerEvent(snapshot);
    case 'account':
      return snapshot.status === 'active' ? { type: 'account.activated' } : null;
  }
}

function transferEvent(transfer: TransferSnapshot): ProviderEvent | null {
  const { status, sourceAmountMinor, destinationAmountMinor } = transfer;
  if (status === 'pending') return null;
  if (status === 'failed') return { type: 'internal-transfer.failed' };
  return { type: 'internal-transfer.completed', sourceAmountMinor, destinationAmountMinor };
}

function payoutEvent({ status, amountMinor, currency, ...payout }: PayoutSnapshot): ProviderEvent | null {
  if (status === 'pending') return null;
  const paid: Paid = { amountMinor, currency };
  if (status === 'refunded') return { type: 'off-ramp.refunded', ...paid };
  const { attempt, failureCode, endToEndId, voucherId } = payout;
  if (status === 'failed') return { type: 'off-ramp.failed', ...paid, attempt, failureCode };
  return { type: 'off-ramp.completed', ...paid, endToEndId, voucherId };
}

function ownerEvent({ status, level, attempt, failureCode }: OwnerSnapshot): ProviderEvent | null {
  if (status === 'completed') return { type: 'kyc.updated', status, level };
  if (status === 'failed') return { type: 'kyc.updated', status, attempt, failureCode };
  return attempt === 1 ? null : { type: 'kyc.restarted', attempt };
}

/** Whether a movement is a deposit. Every other credit is a counterpart of our own requests, and a movement of zero moves nothing. */
export const isDeposit = ({ direction, purpose, amountMinor }: Movement): boolean =>
  direction === 'credit' && purpose === 'deposit' && amountMinor !== 0;
