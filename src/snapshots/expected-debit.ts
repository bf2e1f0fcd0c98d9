// What a conversion of a payment was allowed to take: the quoted amount, or what the first conversion delivered.
import type { PixPaymentEvent } from '../../machines/pix-payment.machine.ts';
import type { Entity } from '../entities/rows.ts';

/**
 * @returns what a conversion should have taken, in minor units of its source, where it took another amount and its payment
 * goes on all the same; else null. More than was quoted to the user is not among that: such a payment waits for a person.
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
    default:
      return null;
  }
}
