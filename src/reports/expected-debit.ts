// The amount that a conversion of a payment may debit: the quoted amount, for leg 2 and the reverse leg what leg 1 delivered, and for
// a return the BRL of the payment.
import type { PixPaymentEvent } from '../../machines/pix-payment.machine.ts';
import type { Entity } from '../platform/entities/rows.ts';

/**
 * Checks the debit of a completed conversion whose payment continues.
 * @returns the expected debit in minor units of the source currency; null if the debit is as expected. Debits above the quote to
 *   the user are excluded: those payments go to `manual_review`.
 */
export function expectedDebitMinor(row: Entity<'PixPayment'>, event: PixPaymentEvent): number | null {
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
