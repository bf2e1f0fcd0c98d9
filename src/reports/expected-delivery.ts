// The amount that leg 1 must deliver. For the other conversions, the payment's machine checks the delivered amount: against the
// promised BRL, or against the debit to be restored.
import type { PixPaymentEvent } from '../../machines/pix-payment.machine.ts';
import type { Entity } from '../platform/entities/rows.ts';

/**
 * Checks the delivery of a completed leg 1. The payment continues in any case: its price is fixed, and leg 2 takes what it needs.
 * @returns the quoted delivery in minor units of USDC if leg 1 delivered more or less; otherwise null.
 */
export function expectedDeliveryMinor(row: Entity<'PixPayment'>, event: PixPaymentEvent): number | null {
  if (event.type !== 'leg1.completed') return null;
  const quotedMinor = row.usdcQuotedMinor;
  return event.destinationAmountMinor === quotedMinor ? null : quotedMinor;
}
