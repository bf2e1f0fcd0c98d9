// What the first of two conversions was to deliver. What another one delivers, its payment's machine holds against the reais
// that were promised, or against the home currency that is given back.
import type { PixPaymentEvent } from '../../machines/pix-payment.machine.ts';
import type { Entity } from '../entities/rows.ts';

/**
 * @returns what it should have delivered, in minor units of USDC, where it delivered another amount, more or less; else
 * null. The payment goes on all the same: its price is fixed, and the second conversion takes what it needs.
 */
export function expectedDeliveryMinor(row: Entity<'PixPayment'>, event: PixPaymentEvent): number | null {
  if (event.type !== 'leg1.completed') return null;
  const quotedMinor = row.usdcQuotedMinor;
  return event.destinationAmountMinor === quotedMinor ? null : quotedMinor;
}
