// The movements of a list, each with the payment behind it where only the payment knows how it stands.
import type { PixPayment, Transaction } from '@ponte/client';
import { ponte } from './session.ts';
import { type Taken, take } from './take.ts';

export type Moved = { transaction: Transaction; payment: PixPayment | null };

/** @returns the next `count` movements; `hasMore` is false once the list has ended. */
export async function takeMovements(list: AsyncIterator<Transaction>, count: number): Promise<Taken<Moved>> {
  const { items, hasMore } = await take(list, count);
  return { items: await Promise.all(items.map(withPayment)), hasMore };
}

/** A transaction is `pending` both while its payment is under way and while a failed payout waits for the person. */
async function withPayment(transaction: Transaction): Promise<Moved> {
  const { pixPaymentId, status } = transaction;
  if (pixPaymentId === null || status !== 'pending') return { transaction, payment: null };
  // The list is worth showing without it.
  return { transaction, payment: await ponte.payment(pixPaymentId).catch(() => null) };
}
