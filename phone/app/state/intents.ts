// What the person has decided and the API may not have answered yet. It is kept before it is sent, with its key: after a lost
// answer or a reload the very same request is sent again, which finds out what happened and does nothing twice.
import type { DataRequestInput, PixPaymentRequest } from '@ponte/client';
import { keptStore } from './kept.ts';

/** Who is to be paid, and how much, before there is a price. */
export type Draft = {
  pixKey: string;
  pixKeyType: PixPaymentRequest['pixKeyType'];
  /** From a scanned code; null when the key was typed. */
  recipientName: string | null;
  /** Decimal text; null until it is entered. */
  amountBrl: string | null;
  /** The code says how much, and the payer cannot change it. */
  isAmountFixed: boolean;
};

export const draft = keptStore<Draft>('draft');

/** A payment that was confirmed. Its quote is its key. */
export const confirmed = keptStore<PixPaymentRequest>('confirmed');

/** A withdrawal that was confirmed: minor units of the home currency, and its key. */
export const withdrawal = keptStore<{ amount: number; idempotencyKey: string }>('withdrawal');

/** A payout that is to be sent again, and the key of this retry. */
export const retry = keptStore<{ paymentId: string; idempotencyKey: string }>('retry');

/** A data request that was sent, and its key. */
export const dataRequest = keptStore<{ request: DataRequestInput; idempotencyKey: string }>('data-request');

/** Where the answer to the last payment or withdrawal led. A reload can come between the answer and the new address. */
export const answeredAt = keptStore<string>('answered-at');

/** @param path where the person sees what came of it. */
export function settle(intent: { set: (value: null) => void }, path: string): void {
  answeredAt.set(path);
  intent.set(null);
}
