// The decisions of the person that the API may not have answered yet. Each is kept with its key before it is sent. After a lost
// answer or a reload, the identical request is sent again, which finds out what happened and does nothing twice.
import type {
  BankDetails,
  DataRequestInput,
  PixCode,
  PixPaymentRequest,
  PixRecipientLookup,
} from '@ponte/client';
import { keptStore } from './kept.ts';

/** The recipient and the amount, before there is a price. */
export type Draft = {
  pixKey: string;
  pixKeyType: PixPaymentRequest['pixKeyType'];
  /** The name from a scanned code. Null if the key was typed. */
  recipientName: string | null;
  /** Decimal text. Null until the person enters it. */
  amountBrl: string | null;
  /** Whether the code contains the amount, so that the payer cannot change it. */
  isAmountFixed: boolean;
  /** The owner of the key, and when this phone received the answer, by its clock. */
  lookup?: { found: PixRecipientLookup; atMs: number } | null;
  /** What the service read in a dynamic code. The key of such a code is not looked up. */
  code?: PixCode;
};

export const draft = keptStore<Draft>('draft');

/** A confirmed payment. Its quote is its key. */
export const confirmed = keptStore<PixPaymentRequest>('confirmed');

/** A confirmed withdrawal: minor units of the home currency, its key, and the check of the name whose result the person accepted. */
export const withdrawal = keptStore<{ amount: number; idempotencyKey: string; acceptedCheckId?: string }>(
  'withdrawal',
);

/** The withdrawal that was confirmed last, in any tab, unless it was refused. `account` is the masked bank account. */
export const lastWithdrawal = keptStore<{ amount: number; account: string; atMs: number }>('last-withdrawal');

const REPEATED_WITHIN_MS = 60_000;

/** Keeps a withdrawal, under a new key, before it is sent. */
export function confirmWithdrawal(amount: number, to: BankDetails, acceptedCheckId?: string): void {
  const idempotencyKey = crypto.randomUUID();
  withdrawal.set({ amount, idempotencyKey, ...(acceptedCheckId !== undefined && { acceptedCheckId }) });
  lastWithdrawal.set({ amount, account: accountIn(to), atMs: Date.now() });
}

/** Returns whether the same withdrawal was confirmed within the last minute, in this tab or in another one. */
export function isRepeatedWithdrawal(amount: number, to: BankDetails): boolean {
  const last = lastWithdrawal.newest();
  if (last === null || last.amount !== amount || last.account !== accountIn(to)) return false;
  return Math.abs(Date.now() - last.atMs) < REPEATED_WITHIN_MS;
}

/** Names an account. The bank's check may be answered between two withdrawals to the same account. */
export const accountIn = ({ validatedAt: _at, validationStatus: _status, ...account }: BankDetails): string =>
  JSON.stringify(account);

/** A payout to send again, and the key of this retry. */
export const retry = keptStore<{ paymentId: string; idempotencyKey: string }>('retry');

/** A sent data request, and its key. */
export const dataRequest = keptStore<{ request: DataRequestInput; idempotencyKey: string }>('data-request');

/**
 * The address to which the answer to the last payment or withdrawal led. A reload can happen between the answer and the new
 * address.
 */
export const answeredAt = keptStore<string>('answered-at');

/**
 * Records that the request was answered.
 * @param path where the person sees the result.
 */
export function settle(intent: { set: (value: null) => void }, path: string): void {
  answeredAt.set(path);
  intent.set(null);
}
