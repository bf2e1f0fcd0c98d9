// Reads the movements of a list, each with what only its payment knows: the status of a pending one, and the whole key of a recipient
// without a name.
import type { PixPayment, Transaction } from '@ponte/client';
import { ponte } from './session.ts';
import { type Taken, take } from './take.ts';

export type Moved = {
  transaction: Transaction;
  /** Null unless the transaction is pending. */
  payment: PixPayment | null;
  /** The key of a recipient without a name. The transaction has it masked, but it is the person's own. */
  payee: string | null;
};

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
  const { pixPaymentId, status, counterparty } = transaction;
  const isPending = status === 'pending';
  const isNamed = typeof counterparty?.name === 'string';
  if (pixPaymentId === null || (isNamed && !isPending)) return { transaction, payment: null, payee: null };
  // Without the payment, the list can still be shown.
  const payment = await ponte.payment(pixPaymentId).catch(() => null);
  const payee = isNamed ? null : (payment?.pixKey ?? null);
  return { transaction, payment: isPending ? payment : null, payee };
}
