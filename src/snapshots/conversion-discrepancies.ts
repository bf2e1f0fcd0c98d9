// What is recorded of a conversion whose amounts are not what they should have been, and that its payment has followed.
import type { PixPaymentEvent } from '../../machines/pix-payment.machine.ts';
import type { Entity } from '../entities/rows.ts';
import { debitDiffers, deliveryDiffers, type NewDiscrepancy } from './discrepancies.ts';
import { expectedDebitMinor } from './expected-debit.ts';
import { expectedDeliveryMinor } from './expected-delivery.ts';

/** @param row as it was before the event. */
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
