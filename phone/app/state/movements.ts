// Reads the movements of a list, each with its payment if only the payment knows its status.
import type { PixPayment, Transaction } from '@ponte/client';
import { ponte } from './session.ts';
import { type Taken, take } from './take.ts';

export type Moved = { transaction: Transaction; payment: PixPayment | null };

/** @returns the next `count` movements. `hasMore` is false once the list has ended. */
export async function takeMovements(list: AsyncIterator<Transaction>, count: number): Promise<Taken<Moved>> {
  const { items, hasMore } = await take(list, count);
  return { items: await Promise.all(items.map(withPayment)), hasMore };
}

/**
 * Adds the payment of a transaction. A transaction is `pending` both while its payment is in progress and while a failed payout
 * waits for the person.
 */
async function withPayment(transaction: Transaction): Promise<Moved> {
  const { pixPaymentId, status } = transaction;
  if (pixPaymentId === null || status !== 'pending') return { transaction, payment: null };
  // Without the payment, the list can still be shown.
  return { transaction, payment: await ponte.payment(pixPaymentId).catch(() => null) };
}
