// Finds the discrepancies of a completed conversion whose amounts differ from the expected ones, although its payment continues.
import type { PixPaymentEvent } from '../../machines/pix-payment.machine.ts';
import type { Entity } from '../platform/entities/rows.ts';
import { debitDiffers, deliveryDiffers, type NewDiscrepancy } from './discrepancies.ts';

/** Returns the discrepancies of a completed conversion. `row` is the payment as it was before the event. */
export function conversionDiscrepancies(
  row: Entity<'PixPayment'>,
  event: PixPaymentEvent,
  snapshot: { providerRef: string; updatedAt: Date },
): NewDiscrepancy[] {
  if (!('destinationAmountMinor' in event)) return [];
  const debitMinor = expectedDebitMinor(row, event);
  const deliveryMinor = expectedDeliveryMinor(row, event);
  return [
    ...(debitMinor === null ? [] : [debitDiffers(event, debitMinor, row.state, snapshot)]),
    ...(deliveryMinor === null ? [] : [deliveryDiffers(event, deliveryMinor, row.state, snapshot)]),
  ];
}

/**
 * Checks the debit of a completed conversion whose payment continues.
 * @returns the expected debit in minor units of the source currency; null if the debit is as expected. Debits above the quote to
 *   the user are excluded: those payments go to `manual_review`.
 */
function expectedDebitMinor(row: Entity<'PixPayment'>, event: PixPaymentEvent): number | null {
  switch (event.type) {
    case 'direct.completed':
    case 'leg1.completed':
      return event.sourceAmountMinor < row.sourceAmountMinor ? row.sourceAmountMinor : null;
    case 'leg2.completed':
    case 'reverse.completed': {
      const deliveredMinor = row.usdcDeliveredMinor ?? 0;
      return event.sourceAmountMinor > deliveredMinor ? deliveredMinor : null;
    }
    case 'return.completed':
      return event.sourceAmountMinor > row.amountBrlMinor ? row.amountBrlMinor : null;
    default:
      return null;
  }
}

/**
 * Checks the delivery of a completed leg 1. The payment continues in any case: its price is fixed, and leg 2 takes what it needs.
 * @returns the quoted delivery in minor units of USDC if leg 1 delivered more or less; otherwise null.
 */
function expectedDeliveryMinor(row: Entity<'PixPayment'>, event: PixPaymentEvent): number | null {
  if (event.type !== 'leg1.completed') return null;
  const quotedMinor = row.usdcQuotedMinor;
  return event.destinationAmountMinor === quotedMinor ? null : quotedMinor;
}
