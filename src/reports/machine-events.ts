// Maps provider events to machine events. A function returns null if the event has no meaning for its machine.
import type { ConversionLeg } from '../../machines/effects.ts';
import type { KycEvent, KycLevel } from '../../machines/kyc.machine.ts';
import type { PixPaymentEvent } from '../../machines/pix-payment.machine.ts';
import type { ProviderAccountEvent } from '../../machines/provider-account.machine.ts';
import type { WithdrawEvent } from '../../machines/withdraw.machine.ts';
import type { Currency } from '../domain/currency.ts';
import type { ProviderEvent } from '../provider/events.ts';

export function pixPaymentEvent(event: ProviderEvent, leg: ConversionLeg | null): PixPaymentEvent | null {
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
        reason: event.failureCode === 'recipient_unknown' ? 'recipient_unknown' : 'payout_failed',
        attempt: event.attempt,
        attempted: true,
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

const paidIn = ({ amountMinor, fiatCurrency }: { amountMinor: number; fiatCurrency: Currency }) => ({
  amountMinor,
  currency: fiatCurrency,
});

/** Maps an event to the verification's machine. `level` is what the provider verified; a completed one without a level counts as basic. */
export function kycEvent(event: ProviderEvent, level: KycLevel | null): KycEvent | null {
  if (event.kind === 'kyc.restarted') return { type: 'kyc.restarted', attempt: event.attempt };
  if (event.kind !== 'kyc.updated') return null;
  return event.status === 'completed'
    ? { type: 'kyc.completed', level: level ?? 'basic' }
    : { type: 'kyc.failed', attempt: event.attempt, failureCode: event.failureCode ?? null };
}

export const providerAccountEvent = (event: ProviderEvent): ProviderAccountEvent | null =>
  event.kind === 'account.activated' ? { type: 'account.activated' } : null;
