// Finds the discrepancies of a completed conversion whose amounts differ from the expected ones, although its payment continues.
import type { PixPaymentEvent } from '../../machines/pix-payment.machine.ts';
import type { Entity } from '../platform/entities/rows.ts';
import { debitDiffers, deliveryDiffers, type NewDiscrepancy } from './discrepancies.ts';
import { expectedDebitMinor } from './expected-debit.ts';
import { expectedDeliveryMinor } from './expected-delivery.ts';

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
